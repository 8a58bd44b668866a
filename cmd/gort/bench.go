package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"gort"
	"gort/tensor"
)

func benchCommand() *command {
	return &command{
		name:    "bench",
		purpose: "Time a model.",
		args:    "MODEL",
		about: `
The model is loaded, warmed up, and run on the same inputs and outputs until both
--runs and --min-time are reached. Inputs are given or made up as for gort run.`,
		examples: []string{
			"gort bench model.onnx",
			"gort bench model.onnx --threads 1 --shape input=8x3x224x224 --runs 50",
			"gort bench model.onnx --dim batch=4 --json",
		},
		setup: func(fs *flag.FlagSet) action {
			var c benchConfig
			c.session.register(fs)
			c.session.registerTimeout(fs)
			c.inputs.register(fs)
			fs.IntVar(&c.runs, "runs", 10, "time at least `N` runs")
			fs.DurationVar(&c.minTime, "min-time", time.Second, "go on for at least `TIME`")
			fs.IntVar(&c.warmup, "warmup", 3, "run `N` times before timing")
			fs.BoolVar(&c.json, "json", false, "print JSON")
			fs.BoolVar(&c.progress, "progress", false, "show progress also when standard error is no terminal")
			return c.run
		},
	}
}

// benchConfig is what the flags of gort bench say.
type benchConfig struct {
	session  sessionFlags
	inputs   inputFlags
	runs     int
	minTime  time.Duration
	warmup   int
	json     bool
	progress bool
}

// timing is what was measured; times are in milliseconds.
type timing struct {
	Model      string   `json:"model"`
	Inputs     []string `json:"inputs"`
	Threads    int      `json:"threads"`
	Load       float64  `json:"load_ms"`
	First      float64  `json:"first_ms"` // the first run, which plans
	Runs       int      `json:"runs"`
	Median     float64  `json:"median_ms"`
	P90        float64  `json:"p90_ms"`
	Min        float64  `json:"min_ms"`
	Mean       float64  `json:"mean_ms"`
	Throughput float64  `json:"runs_per_second"`
	Peak       int64    `json:"peak_memory_bytes"`
	Allocs     float64  `json:"allocs_per_run"`
}

func (c *benchConfig) check() error {
	if c.runs < 1 || c.warmup < 0 || c.minTime < 0 {
		return usagef("--runs must be at least 1, --warmup and --min-time not negative")
	}
	return c.session.check()
}

func (c *benchConfig) run(ctx context.Context, std *streams, args []string) (err error) {
	path, err := oneModel(args)
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return err
	}
	ctx, cancel := c.session.deadline(ctx)
	defer cancel()
	t := &timing{Model: path, Inputs: []string{}, Threads: c.session.threads}
	if t.Threads == 0 {
		t.Threads = runtime.GOMAXPROCS(0)
	}
	start := time.Now()
	s, err := gort.Open(path, c.session.options(ctx)...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	t.Load = milliseconds(time.Since(start))
	in, err := c.inputs.resolve(s.Inputs())
	if err != nil {
		return err
	}
	for _, note := range in.notes {
		fmt.Fprintln(std.err, note)
	}
	b, err := t.bind(ctx, s, in)
	if err != nil {
		return err
	}
	if err := c.measure(ctx, b, t, newProgress(std, c.progress)); err != nil {
		return err
	}
	if c.json {
		return json.NewEncoder(std.out).Encode(t)
	}
	return t.write(std.out)
}

// bind runs the model once, and then binds inputs and outputs so that later runs
// make nothing anew.
func (t *timing) bind(ctx context.Context, s *gort.Session, in *inputValues) (*gort.Binding, error) {
	b := s.Bind()
	for i, info := range in.infos {
		if in.values[i] == nil {
			continue
		}
		t.Inputs = append(t.Inputs, fmt.Sprintf("%s: %v", info.Name, in.values[i]))
		if err := b.Input(info.Name, in.values[i]); err != nil {
			return nil, err
		}
	}
	start := time.Now()
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	t.First = milliseconds(time.Since(start))
	for _, info := range s.Outputs() {
		out, ok := b.Result(info.Name).(*tensor.Tensor)
		if !ok || out.DType() == tensor.String {
			continue
		}
		own, err := tensor.New(out.DType(), out.Shape()...)
		if err != nil {
			return nil, err
		}
		if err := b.Output(info.Name, own); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// measure times runs and counts their allocations.
func (c *benchConfig) measure(ctx context.Context, b *gort.Binding, t *timing, bar *progress) error {
	defer bar.clear()
	for i := range c.warmup {
		bar.show(i, c.warmup, "warm-up")
		if err := b.Run(ctx); err != nil {
			return err
		}
	}
	var times []time.Duration
	total := time.Duration(0)
	for len(times) < c.runs || total < c.minTime {
		start := time.Now()
		if err := b.Run(ctx); err != nil {
			return err
		}
		took := time.Since(start)
		times = append(times, took)
		total += took
		bar.show(len(times), max(c.runs, int(c.minTime/(total/time.Duration(len(times))+1))), "runs")
	}
	t.Peak = peakMemory()
	t.summarize(times, total)

	const counted = 3
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range counted {
		if err := b.Run(ctx); err != nil {
			return err
		}
	}
	runtime.ReadMemStats(&after)
	t.Allocs = float64(after.Mallocs-before.Mallocs) / counted
	return nil
}

// summarize sorts the times and fills in what they say.
func (t *timing) summarize(times []time.Duration, total time.Duration) {
	slices.Sort(times)
	n := len(times)
	t.Runs = n
	t.Min = milliseconds(times[0])
	t.Median = milliseconds((times[(n-1)/2] + times[n/2]) / 2)
	t.P90 = milliseconds(times[int(math.Ceil(0.9*float64(n)))-1])
	t.Mean = milliseconds(total) / float64(n)
	t.Throughput = float64(n) / max(total.Seconds(), 1e-9)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func (t *timing) write(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "model\t%s\n", t.Model)
	for _, in := range t.Inputs {
		fmt.Fprintf(w, "input\t%s\n", in)
	}
	fmt.Fprintf(w, "threads\t%d\n", t.Threads)
	fmt.Fprintf(w, "load\t%.4g ms\n", t.Load)
	fmt.Fprintf(w, "first run\t%.4g ms\n", t.First)
	fmt.Fprintf(w, "median\t%.4g ms\t(of %d runs)\n", t.Median, t.Runs)
	fmt.Fprintf(w, "90 %%\t%.4g ms\n", t.P90)
	fmt.Fprintf(w, "min\t%.4g ms\n", t.Min)
	fmt.Fprintf(w, "throughput\t%.4g runs/s\n", t.Throughput)
	fmt.Fprintf(w, "peak memory\t%s\n", byteSize(t.Peak))
	fmt.Fprintf(w, "allocations\t%g a run\n", t.Allocs)
	return w.Flush()
}
