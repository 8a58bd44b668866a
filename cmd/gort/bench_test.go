package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestBench(t *testing.T) {
	args := []string{"bench", digitsModel, "--runs", "3", "--min-time", "0", "--warmup", "1", "--threads", "1", "--dim", "N=2"}
	var got timing
	if err := json.Unmarshal([]byte(mustRun(t, append(args, "--json")...)), &got); err != nil {
		t.Fatal(err)
	}
	if got.Runs != 3 || got.Threads != 1 || len(got.Inputs) != 1 || got.Inputs[0] != "image: float32 2x1x28x28" {
		t.Errorf("%+v", got)
	}
	if !(0 < got.Min && got.Min <= got.Median && got.Median <= got.P90 && got.Load > 0 && got.First > 0 && got.Throughput > 0) {
		t.Errorf("times out of order: %+v", got)
	}
	if got.Peak < 1<<20 {
		t.Errorf("peak memory of %d bytes", got.Peak)
	}
	text := mustRun(t, args...)
	for _, part := range []string{"median", "(of 3 runs)", "peak memory", "allocations"} {
		if !strings.Contains(text, part) {
			t.Errorf("gort bench lacks %q:\n%s", part, text)
		}
	}
}

func TestBenchTimeout(t *testing.T) {
	code, _, errs := invoke(t, "bench", digitsModel, "--min-time", "1m", "--timeout", "50ms")
	if code != exitFailure || !strings.Contains(errs, "--timeout") {
		t.Errorf("exit code %d, %q", code, errs)
	}
}

func TestSummarize(t *testing.T) {
	var times []time.Duration
	for _, ms := range []int{10, 1, 2, 9, 3, 8, 4, 7, 5, 6} {
		times = append(times, time.Duration(ms)*time.Millisecond)
	}
	var got timing
	got.summarize(times, 55*time.Millisecond)
	if got.Min != 1 || got.Median != 5.5 || got.P90 != 9 || got.Mean != 5.5 || !within(got.Throughput, 181.818, 1e-3) || got.Runs != 10 {
		t.Errorf("%+v", got)
	}
	one := timing{}
	one.summarize([]time.Duration{time.Millisecond}, time.Millisecond)
	if one.Median != 1 || one.P90 != 1 {
		t.Errorf("one run: %+v", one)
	}
}
