package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"sync"
	"time"

	"gort/internal/conformance"
)

func testCommand() *command {
	return &command{
		name:    "test",
		purpose: "Run test cases in the layout of ONNX's backend suite.",
		args:    "PATH…",
		about: `
A case is a folder with model.onnx and test_data_set_N/input_I.pb and output_I.pb;
PATH is such a folder, a folder of them at any depth, or a zip file. A case's id is
GROUP/NAME: the last two folders of its path. Without --threads, the cases that run
at once (-j) share the CPUs.

Cases that gort is known not to pass are listed with the program, or in a file of
lines "GROUP/NAME: reason" given by --expected. A listed case that passes fails:
its entry has to go.`,
		examples: []string{
			"gort test node.zip simple.zip",
			"gort test cases --run '^node/test_conv' --threads 2",
			"gort test cases --json --expected none > results.jsonl",
		},
		setup: func(fs *flag.FlagSet) action {
			c := testConfig{rtol: -1, atol: -1}
			c.session.register(fs)
			c.session.registerTimeout(fs)
			fs.Func("run", "run only cases whose id matches `REGEXP`", func(s string) (err error) {
				c.match, err = regexp.Compile(s)
				return err
			})
			fs.Func("rtol", "relative tolerance `R` of all cases (default: each case's own, mostly 1e-3)", tolerance(&c.rtol))
			fs.Func("atol", "absolute tolerance `A` of all cases (default: each case's own, mostly 1e-7)", tolerance(&c.atol))
			fs.StringVar(&c.expected, "expected", "", "`FILE` of expected failures; none for no list (default: the program's own)")
			fs.IntVar(&c.jobs, "j", runtime.GOMAXPROCS(0), "run `N` cases at once")
			fs.BoolVar(&c.json, "json", false, "print a JSON object a case and one of the counts")
			fs.BoolVar(&c.progress, "progress", false, "show progress also when standard error is no terminal")
			return c.run
		},
	}
}

// tolerance sets a number that must not be negative.
func tolerance(into *float64) func(string) error {
	return func(s string) error {
		var v float64
		if _, err := fmt.Sscan(s, &v); err != nil || !(v >= 0) {
			return errors.New("must be a number not below 0")
		}
		*into = v
		return nil
	}
}

// testConfig is what the flags of gort test say.
type testConfig struct {
	session    sessionFlags
	match      *regexp.Regexp
	rtol, atol float64 // below 0: the case's own
	expected   string
	jobs       int
	json       bool
	progress   bool
}

func (c *testConfig) run(ctx context.Context, std *streams, args []string) (err error) {
	if len(args) == 0 {
		return usagef("no folder or zip file of test cases given")
	}
	if c.jobs < 1 {
		return usagef("-j is %d, must be at least 1", c.jobs)
	}
	if err := c.session.check(); err != nil {
		return err
	}
	if c.session.threads == 0 { // cases at once share the CPUs
		c.session.threads = max(1, runtime.GOMAXPROCS(0)/c.jobs)
	}
	expected, err := c.readExpected()
	if err != nil {
		return err
	}
	suite, err := conformance.Load(args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, suite.Close()) }()
	cases := c.choose(suite.Cases)
	if len(cases) == 0 {
		return fmt.Errorf("no case found (of %d)", len(suite.Cases))
	}
	ctx, cancel := c.session.deadline(ctx)
	defer cancel()
	start := time.Now()
	r := newTestReport(std, c, len(cases))
	for res := range c.runAll(ctx, cases) {
		status, reason := conformance.Judge(cases[res.index].ID(), res.err, expected)
		if err := r.add(cases[res.index], status, reason); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return r.finish(time.Since(start))
}

func (c *testConfig) readExpected() (map[string]string, error) {
	switch c.expected {
	case "":
		return conformance.ExpectedFailures()
	case "none":
		return nil, nil
	}
	data, err := os.ReadFile(c.expected)
	if err != nil {
		return nil, err
	}
	list, err := conformance.ParseExpected(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.expected, err)
	}
	return list, nil
}

// choose returns the cases that --run matches, with the tolerances asked for.
func (c *testConfig) choose(all []*conformance.Case) []*conformance.Case {
	var out []*conformance.Case
	for _, k := range all {
		if c.match != nil && !c.match.MatchString(k.ID()) {
			continue
		}
		if c.rtol >= 0 {
			k.RTol = c.rtol
		}
		if c.atol >= 0 {
			k.ATol = c.atol
		}
		out = append(out, k)
	}
	return out
}

// caseResult is how one case ended.
type caseResult struct {
	index int
	err   error
}

// runAll runs cases at once and yields their results in the cases' order. It
// stops early when the context ends.
func (c *testConfig) runAll(ctx context.Context, cases []*conformance.Case) func(yield func(caseResult) bool) {
	open := conformance.OpenWith(c.session.options(ctx)...)
	return func(yield func(caseResult) bool) {
		ctx, cancel := context.WithCancel(ctx)
		next, done := make(chan int), make(chan caseResult)
		var workers sync.WaitGroup
		for range min(c.jobs, len(cases)) {
			workers.Go(func() {
				for i := range next {
					done <- caseResult{i, cases[i].Run(ctx, open)}
				}
			})
		}
		go func() {
			defer close(next)
			for i := range cases {
				select {
				case next <- i:
				case <-ctx.Done():
					return
				}
			}
		}()
		go func() {
			workers.Wait()
			close(done)
		}()
		defer func() { // let the workers end
			cancel()
			for range done {
			}
		}()
		early := map[int]caseResult{} // came before its turn
		turn := 0
		for res := range done {
			early[res.index] = res
			for {
				res, ok := early[turn]
				if !ok {
					break
				}
				delete(early, turn)
				if turn++; ctx.Err() != nil || !yield(res) {
					return
				}
			}
		}
	}
}
