package main

import (
	"context"
	"flag"
	"fmt"
	"time"

	"gort"
)

// levels are the values of --optimize.
var levels = map[string]gort.OptimizationLevel{
	"off": gort.OptimizeOff, "basic": gort.OptimizeBasic, "all": gort.OptimizeAll,
}

// sessionFlags say how sessions are made and how long they may run.
type sessionFlags struct {
	threads int
	level   gort.OptimizationLevel
	timeout time.Duration
}

func (f *sessionFlags) register(fs *flag.FlagSet) {
	f.level = gort.OptimizeAll
	fs.IntVar(&f.threads, "threads", 0, "compute with `N` threads; 0 means all CPUs")
	fs.Func("optimize", "rewrite the graph: `LEVEL` is off, basic or all (default all)", func(s string) error {
		level, ok := levels[s]
		if !ok {
			return fmt.Errorf("must be off, basic or all")
		}
		f.level = level
		return nil
	})
}

func (f *sessionFlags) registerTimeout(fs *flag.FlagSet) {
	fs.DurationVar(&f.timeout, "timeout", 0, "give up after `TIME`, such as 30s or 2m")
}

// options returns the session options that the flags ask for.
func (f *sessionFlags) options(ctx context.Context) []gort.Option {
	return []gort.Option{gort.WithContext(ctx), gort.WithThreads(f.threads), gort.WithOptimization(f.level)}
}

// deadline bounds a context by --timeout.
func (f *sessionFlags) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if f.timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, f.timeout)
}

// check refuses values that no session takes.
func (f *sessionFlags) check() error {
	if f.threads < 0 {
		return usagef("--threads is %d, must not be negative", f.threads)
	}
	if f.timeout < 0 {
		return usagef("--timeout is %v, must not be negative", f.timeout)
	}
	return nil
}
