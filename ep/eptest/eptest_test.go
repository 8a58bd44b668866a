package eptest

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"gort/ep"
	"gort/op"
)

// recorder stands in for a test and keeps its failures.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	failures []string
}

func (r *recorder) Helper()                  {}
func (r *recorder) Context() context.Context { return context.Background() }
func (r *recorder) Logf(string, ...any)      {}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// failuresOf runs one check against a provider.
func failuresOf(s *suite, c check) []string {
	r := &recorder{}
	done := make(chan struct{})
	go func() { // Fatalf ends the goroutine
		defer close(done)
		s.run(r, c)
	}()
	<-done
	return r.failures
}

func suiteOf(newProvider func() ep.Provider, opts ...Option) *suite {
	return newSuite(newProvider, append(opts, MemoryLimit("good.limit")))
}

// someOperators are few enough to ask many providers about.
func someOperators(t *testing.T) Option {
	var some []*op.Def
	for _, d := range op.Standard().All() {
		if d.Since == 1 || d.Name == "Identity" {
			some = append(some, d)
		}
	}
	r, err := new(op.Registry).With(some...)
	if err != nil {
		t.Fatal(err)
	}
	return Operators(r)
}

func TestGoodProviderPasses(t *testing.T) {
	Test(t, func() ep.Provider { return newGood() }, MemoryLimit("good.limit"))
}

// TestBrokenProvidersAreCaught: each provider breaks one clause; the check of
// that clause has to fail.
func TestBrokenProvidersAreCaught(t *testing.T) {
	byName := map[string]check{}
	for _, c := range checks {
		if _, twice := byName[c.name]; twice {
			t.Errorf("two checks are named %q", c.name)
		}
		byName[c.name] = c
	}
	broken := map[string]bool{}
	for _, b := range brokenProviders {
		t.Run(b.breaks, func(t *testing.T) {
			c, ok := byName[b.check]
			if !ok {
				t.Fatalf("no check is named %q", b.check)
			}
			failures := failuresOf(suiteOf(b.make, someOperators(t)), c)
			if len(failures) == 0 {
				t.Fatalf("the check %q passes", b.check)
			}
			if all := strings.Join(failures, "\n"); !strings.Contains(all, b.says) {
				t.Errorf("the check %q fails, but not with %q:\n%s", b.check, b.says, all)
			}
		})
		broken[b.check] = true
	}
	for _, c := range checks {
		if !broken[c.name] && c.name != "open and close without work" {
			t.Errorf("no broken provider shows that the check %q catches anything", c.name)
		}
	}
}

// TestQueries: nearly every definition is asked about, or the agreement of
// Supports and Kernel would be shown for few.
func TestQueries(t *testing.T) {
	s := suiteOf(func() ep.Provider { return newGood() })
	var silent []string
	all := 0
	for _, def := range s.registry.All() {
		if def.Deprecated {
			continue
		}
		all++
		asked := false
		for range plausible(s.registry, def) {
			asked = true
			break
		}
		if !asked {
			silent = append(silent, fmt.Sprintf("%s-%d", def.Name, def.Since))
		}
	}
	if len(silent)*50 > all {
		t.Errorf("there is no query for %d of %d definitions, want 2%% at most: %s", len(silent), all, strings.Join(silent, " "))
	}
	t.Logf("no query for %d of %d definitions: %s", len(silent), all, strings.Join(silent, " "))
}
