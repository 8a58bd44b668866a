package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gort"
	"gort/internal/golden"
	"gort/onnx"
)

// modelRow is one model's line of the table.
type modelRow struct {
	name    string
	opset   int
	nodes   int
	outputs int
	result  string
}

// modelTable runs every model of a directory and compares it with its answer.
func modelTable(ctx context.Context, dir, answers string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.onnx"))
	if err != nil {
		return "", err
	}
	if len(files) == 0 {
		return "", fmt.Errorf("no models in %s", dir)
	}
	set, err := golden.Load(answers)
	if err != nil {
		return "", err
	}
	var rows []modelRow
	for _, file := range files {
		row, err := runModel(ctx, file, set)
		if err != nil {
			return "", err
		}
		rows = append(rows, row)
	}
	return formatModels(rows), nil
}

// runModel describes a model and how it compares.
func runModel(ctx context.Context, file string, set *golden.Set) (row modelRow, err error) {
	row = modelRow{name: strings.TrimSuffix(filepath.Base(file), ".onnx")}
	m, err := onnx.Open(file)
	if err != nil {
		return row, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	g, err := m.Graph()
	if err != nil {
		return row, err
	}
	row.opset, row.nodes, row.outputs = g.Opsets[""], g.Graph.NumNodes(), len(g.Graph.Outputs())
	if !set.Has(row.name) {
		row.result = "no answer to compare with"
		return row, nil
	}
	s, err := gort.Open(file, gort.WithContext(ctx))
	if err != nil {
		fmt.Fprintf(os.Stderr, "FAIL %s: %v\n", row.name, err)
		row.result = "can not be run"
		return row, nil
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	o, err := set.Check(ctx, row.name, s)
	for _, w := range o.Widened {
		fmt.Fprintf(os.Stderr, "note %s: %s\n", row.name, w)
	}
	switch {
	case err != nil:
		fmt.Fprintf(os.Stderr, "FAIL %s: %v\n", row.name, err)
		row.result = "differs"
	case len(o.Widened) > 0:
		row.result = "agrees*"
	default:
		row.result = "agrees"
	}
	return row, nil
}

func formatModels(rows []modelRow) string {
	var b strings.Builder
	b.WriteString("| Model | opset | nodes | outputs | against ONNX Runtime |\n| --- | ---: | ---: | ---: | --- |\n")
	compared, agree, widened := 0, 0, false
	for _, r := range rows {
		opset := ""
		if r.opset > 0 {
			opset = fmt.Sprint(r.opset)
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %s |\n", r.name, opset, r.nodes, r.outputs, r.result)
		if strings.HasPrefix(r.result, "no answer") {
			continue
		}
		compared++
		if strings.HasPrefix(r.result, "agrees") {
			agree++
			widened = widened || r.result == "agrees*"
		}
	}
	fmt.Fprintf(&b, "\n%d of %d compared models agree within %g of an element's size plus %g.\n", agree, compared, golden.RTol, golden.ATol)
	if widened {
		b.WriteString("\n\\* Some outputs are compared less strictly: ONNX Runtime itself moves them by more between its optimisation\nlevels.\n")
	}
	return b.String()
}
