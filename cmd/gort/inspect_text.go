package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// write prints the report for people.
func (r *modelReport) write(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(key, format string, args ...any) {
		if text := fmt.Sprintf(format, args...); strings.TrimSpace(text) != "" {
			fmt.Fprintf(w, "%s\t%s\n", key, text)
		}
	}
	line("file", "%s, %s", r.File, byteSize(r.Bytes))
	line("format", "ONNX IR version %d", r.IRVersion)
	line("graph", "%s (%d nodes)", r.Graph, r.Nodes)
	line("producer", "%s %s", r.Producer, r.ProducerVersion)
	line("domain", "%s", r.Domain)
	if r.Version != 0 {
		line("model version", "%d", r.Version)
	}
	line("description", "%s", firstLine(r.Description))
	for _, domain := range slices.Sorted(maps.Keys(r.Opsets)) {
		line("opset", "%s %d", domain, r.Opsets[domain])
	}
	for _, key := range slices.Sorted(maps.Keys(r.Metadata)) {
		line("metadata", "%s: %s", key, firstLine(r.Metadata[key]))
	}
	for _, v := range r.Inputs {
		optional := ""
		if v.Optional {
			optional = " (optional)"
		}
		line("input", "%s  %s%s", v.Name, v.Type, optional)
	}
	for _, v := range r.Outputs {
		line("output", "%s  %s", v.Name, v.Type)
	}
	line("parameters", "%s in %d tensors, %s", count(r.Parameters.Count), r.Parameters.Tensors, byteSize(r.Parameters.Bytes))
	line("memory", "about %s: %s", byteSize(r.Memory.Parameters+r.Memory.Activations), r.Memory.describe())
	for _, o := range r.Operators {
		line("operator", "%5d  %s", o.Count, qualifiedOp(o.Domain, o.Name))
	}
	for _, f := range r.Functions {
		line("function", "%s (%d nodes)", qualifiedOp(f.Domain, f.Name), f.Nodes)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return r.writeVerdict(out)
}

func (r *modelReport) writeVerdict(w io.Writer) error {
	switch {
	case r.Runs == nil:
		return nil
	case *r.Runs:
		_, err := fmt.Fprintln(w, "\nThis model can be run.")
		return err
	case r.Problem != "":
		_, err := fmt.Fprintf(w, "\nThis model can not be run: %s\n", r.Problem)
		return err
	}
	fmt.Fprintf(w, "\nThis model can not be run: %d nodes are not supported.\n", len(r.Unsupported))
	for _, n := range r.Unsupported {
		fmt.Fprintf(w, "  %q (%s, opset %d)\n", n.Node, qualifiedOp(n.Domain, n.Op), n.Opset)
		for _, reason := range n.Reasons {
			if _, err := fmt.Fprintf(w, "    %s\n", reason); err != nil {
				return err
			}
		}
	}
	return nil
}

// qualifiedOp names an operator, with its domain unless that is the default one.
func qualifiedOp(domain, name string) string {
	if domain == "ai.onnx" {
		return name
	}
	return domain + "." + name
}

// firstLine shortens a text from a file to what one line of a terminal holds.
func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if r := []rune(s); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return s
}

// byteSize prints a number of bytes with three digits.
func byteSize(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	return scaled(n) + "B"
}

// count prints a number of things with three digits.
func count(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return strings.TrimSuffix(scaled(n), " ")
}

// scaled prints n >= 1000 with a decimal prefix: 12.3 k.
func scaled(n int64) string {
	v, prefix := float64(n), -1
	for v >= 999.5 && prefix < 4 {
		v /= 1000
		prefix++
	}
	digits := 2
	for limit := 9.995; v >= limit && digits > 0; limit *= 10 {
		digits--
	}
	return fmt.Sprintf("%.*f %c", digits, v, "kMGTP"[prefix])
}
