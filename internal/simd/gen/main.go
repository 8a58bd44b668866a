// Command gen writes the assembly of package simd and the Go declarations that
// go with it. Run it through go generate in the package's folder.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// families lists the files to write: NAME_avx2_amd64.s and .go.
var families = []struct {
	name  string
	write func(*gen)
}{
	{"elementwise", elementwise},
	{"math", transcendental},
	{"reduce", reductions},
	{"gemm", gemmKernels},
	{"pack", packing},
	{"transpose", transpose},
	{"float16", float16},
	{"quant", quantKernels},
}

func main() {
	out := flag.String("dir", ".", "folder of package simd")
	flag.Parse()
	for _, f := range families {
		if err := emit(*out, f.name, f.write); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", f.name+":", err)
			os.Exit(1)
		}
	}
}

func emit(dir, name string, write func(*gen)) error {
	g := newGen(name)
	write(g)
	file, err := g.Result()
	if err != nil {
		return err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}
	cfg := printer.Config{Name: "avo", Argv: []string{"go", "generate"}, Pkg: "simd"}
	for ext, p := range map[string]printer.Printer{".s": printer.NewGoAsm(cfg), ".go": printer.NewStubs(cfg)} {
		text, err := p.Print(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name+"_avx2_amd64"+ext), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func newGen(name string) *gen {
	g := &gen{Context: build.NewContext(), name: name}
	g.ConstraintExpr("!purego")
	return g
}
