package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"gort/internal/conformance"
)

// testReport prints results as they come.
type testReport struct {
	std    *streams
	json   bool
	total  int
	done   int
	bar    *progress
	groups map[string]map[conformance.Status]int
}

func newTestReport(std *streams, c *testConfig, total int) *testReport {
	return &testReport{
		std: std, json: c.json, total: total, bar: newProgress(std, c.progress),
		groups: map[string]map[conformance.Status]int{},
	}
}

// add records one case.
func (r *testReport) add(c *conformance.Case, status conformance.Status, reason string) error {
	if r.groups[c.Group] == nil {
		r.groups[c.Group] = map[conformance.Status]int{}
	}
	r.groups[c.Group][status]++
	r.done++
	defer r.bar.show(r.done, r.total, c.ID())
	if r.json {
		return json.NewEncoder(r.std.out).Encode(struct {
			Case   string             `json:"case"`
			Status conformance.Status `json:"status"`
			Reason string             `json:"reason"`
		}{c.ID(), status, reason})
	}
	if status != conformance.Fail {
		return nil
	}
	r.bar.clear()
	_, err := fmt.Fprintf(r.std.out, "FAIL %s: %s\n", c.ID(), strings.ReplaceAll(reason, "\n", "\n     "))
	return err
}

// count adds up one status over all groups.
func (r *testReport) count(s conformance.Status) int {
	n := 0
	for _, g := range r.groups {
		n += g[s]
	}
	return n
}

// finish prints the counts, and fails when a case failed.
func (r *testReport) finish(took time.Duration) error {
	r.bar.clear()
	passed, failed, expected := r.count(conformance.Pass), r.count(conformance.Fail), r.count(conformance.ExpectedFail)
	if r.json {
		err := json.NewEncoder(r.std.out).Encode(struct {
			Passed   int `json:"passed"`
			Failed   int `json:"failed"`
			Expected int `json:"expected_failures"`
		}{passed, failed, expected})
		if err != nil {
			return err
		}
	} else if err := r.table(passed, failed, expected, took); err != nil {
		return err
	}
	if failed > 0 {
		return errReported
	}
	return nil
}

func (r *testReport) table(passed, failed, expected int, took time.Duration) error {
	w := tabwriter.NewWriter(r.std.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "passed\tfailed\texpected to fail\t  group")
	var names []string
	for name := range r.groups {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		g := r.groups[name]
		fmt.Fprintf(w, "%d\t%d\t%d\t  %s\n", g[conformance.Pass], g[conformance.Fail], g[conformance.ExpectedFail], name)
	}
	if len(names) > 1 {
		fmt.Fprintf(w, "%d\t%d\t%d\t  all\n", passed, failed, expected)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(r.std.out, "%d cases in %.1f s\n", r.total, took.Seconds())
	return err
}
