// Command run calls operators with made-up attributes and inputs in every way that
// gort has, and under ONNX Runtime, and reports where the answers differ. See
// package gort/internal/difftest.
//
//	go run ./internal/difftest/run [flags] REGEXP
//
// REGEXP selects definitions such as Gemm-13 or com.microsoft.Gelu-1, whole. The
// exit code is 1 when answers differ, 2 when something else is wrong.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"sync"

	"gort/internal/difftest"
	"gort/op"
)

// temporary matches the names of files in reasons, which differ from call to call.
var temporary = regexp.MustCompile(`/\S*difftest\d+\S*`)

type settings struct {
	n      int
	seed   uint64
	out    string
	record string
	jobs   int
	ort    *difftest.ORT
}

func main() {
	var s settings
	flag.IntVar(&s.n, "n", 100, "calls of each definition (with -record: stored calls)")
	flag.Uint64Var(&s.seed, "seed", 0, "number of the first call")
	flag.StringVar(&s.out, "out", "", "folder for the calls whose answers differ (default: none are kept)")
	flag.StringVar(&s.record, "record", "", "folder in which the calls are stored with ONNX Runtime's answers, such as internal/difftest/testdata")
	flag.IntVar(&s.jobs, "jobs", 2, "calls at a time")
	program := flag.String("ort", os.Getenv("ORTBENCH"), "program that runs ONNX Runtime (default $ORTBENCH)")
	flag.Usage = func() {
		fmt.Fprint(os.Stderr, "usage: go run ./internal/difftest/run [flags] REGEXP\nexample: go run ./internal/difftest/run -n 200 -out /tmp/differ 'com.microsoft.Gelu-1|Gemm-.*'\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if *program != "" {
		s.ort = &difftest.ORT{Program: *program}
	}
	os.Exit(run(context.Background(), &s, "^("+flag.Arg(0)+")$"))
}

func run(ctx context.Context, s *settings, pattern string) int {
	re, err := regexp.Compile(pattern)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if s.record != "" && s.ort == nil {
		fmt.Fprintln(os.Stderr, "-record needs ONNX Runtime: give -ort")
		return 2
	}
	code, found := 0, false
	for _, gen := range difftest.Generators() {
		var kept []*difftest.Result
		for _, d := range gen.Definitions() {
			if !re.MatchString(difftest.ID(d)) {
				continue
			}
			found = true
			results, differ, err := s.definition(ctx, gen, d)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 2
			}
			if differ {
				code = 1
			}
			kept = append(kept, results...)
		}
		if s.record != "" && len(kept) > 0 {
			if err := store(s.record, gen, kept); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 2
			}
		}
	}
	if !found {
		fmt.Fprintf(os.Stderr, "no generator makes calls of a definition that matches %s\n", pattern)
		return 2
	}
	return code
}

// definition checks n calls of one definition and returns those that ONNX Runtime answered alike.
func (s *settings) definition(ctx context.Context, gen *difftest.Generator, d *op.Def) (agreed []*difftest.Result, differ bool, err error) {
	var all []*difftest.Result
	refused := map[string]int{}
	seed, skipped, differing := s.seed, 0, 0
	for len(agreed)+differing < s.n && skipped+sum(refused) < 4*s.n+20 {
		batch := make([]*difftest.Result, s.jobs)
		errs := make([]error, s.jobs)
		var wg sync.WaitGroup
		for i := range batch {
			wg.Go(func() {
				if c := gen.New(d, seed+uint64(i), nil); c != nil {
					batch[i], errs[i] = gen.Check(ctx, d, c, s.ort)
				}
			})
		}
		wg.Wait()
		seed += uint64(s.jobs)
		for i, r := range batch {
			switch {
			case errs[i] != nil:
				return nil, false, errs[i]
			case r == nil:
				skipped++
				continue
			case r.Disagreement != "":
				fmt.Printf("%s: %s\n  %v\n", r.Case.Name, r.Disagreement, r.Case)
				if s.out != "" {
					dir, err := r.Save(s.out)
					if err != nil {
						return nil, false, err
					}
					fmt.Println("  kept in", dir)
				}
				differing++
			case r.Refused != "":
				refused[temporary.ReplaceAllString(r.Refused, "…")]++
			default:
				agreed = append(agreed, r)
			}
			all = append(all, r)
		}
	}
	fmt.Printf("%-40s %4d calls, %d agree", difftest.ID(d), len(all), len(agreed))
	if n := sum(refused); n > 0 {
		fmt.Printf(", ONNX Runtime refuses %d", n)
	}
	fmt.Println()
	for reason, n := range refused {
		fmt.Printf("    %d × %.240s\n", n, reason)
	}
	return agreed[:min(len(agreed), s.n)], differing > 0, nil
}

func sum(m map[string]int) (n int) {
	for _, v := range m {
		n += v
	}
	return n
}

// store writes the results, beside what the file holds of other definitions.
func store(dir string, gen *difftest.Generator, results []*difftest.Result) error {
	name := filepath.Join(dir, gen.FileName())
	replaced := map[string]bool{}
	for _, r := range results {
		replaced[path.Dir(r.Case.Name)] = true
	}
	var kept []*difftest.Stored
	old, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		stored, err := difftest.ReadStored(old)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, s := range stored {
			if !replaced[s.Version()] {
				kept = append(kept, s)
			}
		}
	}
	var buf bytes.Buffer
	if err := difftest.Write(&buf, results, kept); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	fmt.Printf("%s: %d calls, %d bytes\n", name, len(results)+len(kept), buf.Len())
	return os.WriteFile(name, buf.Bytes(), 0o666)
}
