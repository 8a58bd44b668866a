package conformance_test

import (
	"errors"
	"testing"

	"gort/internal/conformance"
	"gort/tensor"
)

func TestJudge(t *testing.T) {
	list, err := conformance.ParseExpected([]byte("# comment\n\nnode/a: not yet\nnode/r: random: other generator\n"))
	if err != nil {
		t.Fatal(err)
	}
	x, y := tensor.Scalar(float32(1)), tensor.Scalar(float32(2))
	elements := tensor.Compare(x, y, 0, 0)
	shape := tensor.Compare(x, tensor.Must(tensor.FromSlice([]float32{1, 2})), 0, 0)
	for _, c := range []struct {
		id   string
		err  error
		want conformance.Status
	}{
		{"node/b", nil, conformance.Pass},
		{"node/b", errors.New("wrong"), conformance.Fail},
		{"node/a", errors.New("wrong"), conformance.ExpectedFail},
		{"node/a", nil, conformance.Fail}, // the entry has to go
		{"node/r", elements, conformance.ExpectedFail},
		{"node/r", nil, conformance.ExpectedFail}, // equal by chance
		{"node/r", shape, conformance.Fail},
		{"node/r", errors.New("does not run"), conformance.Fail},
	} {
		if got, reason := conformance.Judge(c.id, c.err, list); got != c.want {
			t.Errorf("Judge(%s, %v) = %s (%s), want %s", c.id, c.err, got, reason, c.want)
		}
	}
	for _, bad := range []string{"node/a", "node/a:", "node/a: x\nnode/a: y"} {
		if _, err := conformance.ParseExpected([]byte(bad)); err == nil {
			t.Errorf("ParseExpected(%q): no error", bad)
		}
	}
}
