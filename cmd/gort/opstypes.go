package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gort/tensor"
)

// columnNames are short names of element types, so that the table stays legible.
var columnNames = strings.NewReplacer("float", "f", "uint", "u", "int", "i", "double", "f64", "string", "str", "complex", "c")

// writeOpsTypes prints, for each type variable of each operator's newest version,
// which element types are run (+), and which the specification allows and are not (!).
func writeOpsTypes(w io.Writer, list []*opEntry) error {
	var columns []string
	for _, d := range tensor.DTypes() {
		columns = append(columns, d.ONNX())
	}
	domain := ""
	for _, e := range list {
		if e.Domain != domain {
			if domain != "" {
				fmt.Fprintln(w)
			}
			domain = e.Domain
			fmt.Fprintf(w, "## %s\n\n| Operator | Types |", domain)
			for _, c := range columns {
				fmt.Fprintf(w, " %s |", shortName(c))
			}
			fmt.Fprintf(w, "\n| --- | --- |%s\n", strings.Repeat(" :-: |", len(columns)))
		}
		v := e.Versions[len(e.Versions)-1]
		for _, t := range v.Types {
			fmt.Fprintf(w, "| %s-%d | %s |", e.Name, v.Since, t.Variable)
			for _, c := range columns {
				mark := ""
				switch {
				case slices.Contains(t.Run, c):
					mark = "+"
				case slices.Contains(t.NotRun, c):
					mark = "!"
				}
				fmt.Fprintf(w, " %s |", mark)
			}
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
	}
	return nil
}

// shortName shortens the name of an element type: float is f32, float16 f16.
func shortName(onnx string) string {
	if onnx == "float" {
		return "f32"
	}
	return columnNames.Replace(onnx)
}
