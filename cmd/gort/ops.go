package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"gort/ep/cpu"
	"gort/op"
)

func opsCommand() *command {
	return &command{
		name:    "ops",
		purpose: "List the operators that can be run, and in which versions.",
		about: `
A version is that of the operator set in which a definition began. It is run by a
kernel, or by the function body that its definition gives (marked f).`,
		examples: []string{"gort ops", "gort ops --domain ai.onnx.ml", "gort ops --markdown > operators.md", "gort ops --types > types.md", "gort ops --all --json"},
		setup: func(fs *flag.FlagSet) action {
			var c opsConfig
			fs.StringVar(&c.domain, "domain", "", "list only the operators of `DOMAIN`, such as ai.onnx")
			fs.BoolVar(&c.markdown, "markdown", false, "print a table in Markdown")
			fs.BoolVar(&c.json, "json", false, "print a JSON list")
			fs.BoolVar(&c.types, "types", false, "print which element types each operator runs in its newest version, as a table in Markdown")
			fs.BoolVar(&c.all, "all", false, "list also what can not be run")
			return c.run
		},
	}
}

// opsConfig is what the flags of gort ops say.
type opsConfig struct {
	domain         string
	markdown, json bool
	all, types     bool
}

// opEntry is one operator with its versions.
type opEntry struct {
	Domain   string      `json:"domain"`
	Name     string      `json:"name"`
	Versions []opVersion `json:"versions"`
}

// opVersion is one definition of an operator.
type opVersion struct {
	Since      int    `json:"since"`
	By         string `json:"by"` // kernel, function, or none
	Deprecated bool   `json:"deprecated,omitempty"`
	// Types says of each type variable which element types are run and, if any,
	// which the specification allows and gort does not run.
	Types []opTypes `json:"types"`
}

// opTypes are the element types of one type variable.
type opTypes struct {
	Variable string   `json:"variable"`
	Run      []string `json:"run"`
	NotRun   []string `json:"not_run,omitempty"`
}

// supportedOps lists the standard's operators by domain and name.
func supportedOps() []*opEntry {
	var list []*opEntry
	for _, d := range op.Standard().All() {
		domain := shownDomain(d.Domain)
		if n := len(list); n == 0 || list[n-1].Domain != domain || list[n-1].Name != d.Name {
			list = append(list, &opEntry{Domain: domain, Name: d.Name})
		}
		v := opVersion{Since: d.Since, By: "none", Deprecated: d.Deprecated}
		claims := cpu.Claims(d)
		switch {
		case claims != nil:
			v.By = "kernel"
		case d.Body != nil:
			v.By = "function"
		}
		v.Types = typesOf(d, claims)
		e := list[len(list)-1]
		e.Versions = append(e.Versions, v)
	}
	return list
}

// typesOf lists the element types of each type variable, given what kernels claim.
// A function body runs all that the specification allows and no kernel takes.
func typesOf(d *op.Def, claims map[string]op.DTypes) []opTypes {
	var out []opTypes
	sig := d.Signature()
	for _, variable := range slices.Sorted(maps.Keys(sig.Types)) {
		spec := sig.Types[variable].Elements()
		if spec == 0 {
			continue // maps
		}
		run := claims[variable]
		if d.Body != nil {
			run = spec
		}
		out = append(out, opTypes{variable, elementNames(run), elementNames(spec &^ run)})
	}
	return out
}

func elementNames(set op.DTypes) []string {
	var out []string
	for _, d := range set.List() {
		out = append(out, d.ONNX())
	}
	return out
}

// shownDomain writes out the name of the default domain.
func shownDomain(d string) string {
	if d == "" {
		return "ai.onnx"
	}
	return d
}

func (c *opsConfig) run(_ context.Context, std *streams, args []string) error {
	if len(args) > 0 {
		return usagef("no arguments expected, got %q", args[0])
	}
	if c.json && (c.markdown || c.types) {
		return usagef("--json and --markdown exclude each other, as do --json and --types; the JSON list has the types")
	}
	list, err := c.choose(supportedOps())
	if err != nil {
		return err
	}
	switch {
	case c.json:
		return json.NewEncoder(std.out).Encode(list)
	case c.types:
		return writeOpsTypes(std.out, list)
	case c.markdown:
		return writeOpsMarkdown(std.out, list)
	}
	return writeOpsText(std.out, list)
}

// choose keeps the domain asked for, and what can be run.
func (c *opsConfig) choose(all []*opEntry) ([]*opEntry, error) {
	var out []*opEntry
	var domains []string
	for _, e := range all {
		if len(domains) == 0 || domains[len(domains)-1] != e.Domain {
			domains = append(domains, e.Domain)
		}
		if c.domain != "" && c.domain != e.Domain || !c.all && e.count() == 0 {
			continue
		}
		out = append(out, e)
	}
	if out == nil && c.domain != "" {
		return nil, fmt.Errorf("no operators of domain %q; there are %s", c.domain, strings.Join(domains, ", "))
	}
	return out, nil
}

// count is the number of versions that can be run.
func (e *opEntry) count() int {
	n := 0
	for _, v := range e.Versions {
		if v.By != "none" {
			n++
		}
	}
	return n
}

// versions lists those that can be run, function bodies marked f, and the others.
func (e *opEntry) versions() (run, missing string) {
	var with, without []string
	for _, v := range e.Versions {
		s := strconv.Itoa(v.Since)
		switch v.By {
		case "kernel":
			with = append(with, s)
		case "function":
			with = append(with, s+"f")
		default:
			if v.Deprecated {
				s += " (deprecated)"
			}
			without = append(without, s)
		}
	}
	return strings.Join(with, ", "), strings.Join(without, ", ")
}

func writeOpsText(w io.Writer, list []*opEntry) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "DOMAIN\tOPERATOR\tVERSIONS\tNOT RUN")
	operators, versions := 0, 0
	for _, e := range list {
		run, missing := e.versions()
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", e.Domain, e.Name, run, missing)
		if n := e.count(); n > 0 {
			operators++
			versions += n
		}
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%d operators in %d versions (f: by its function body)\n", operators, versions)
	return err
}

func writeOpsMarkdown(w io.Writer, list []*opEntry) error {
	domain := ""
	for _, e := range list {
		if e.Domain != domain {
			if domain != "" {
				fmt.Fprintln(w)
			}
			domain = e.Domain
			fmt.Fprintf(w, "## %s\n\n| Operator | Versions | Not run |\n| --- | --- | --- |\n", domain)
		}
		run, missing := e.versions()
		if _, err := fmt.Fprintf(w, "| %s | %s | %s |\n", e.Name, run, missing); err != nil {
			return err
		}
	}
	return nil
}
