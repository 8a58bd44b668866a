package cpu

import (
	"math"
	"strings"
	"testing"

	"gort/graph"
	"gort/tensor"
)

// wantError checks that a node is refused with a text.
func wantError(t *testing.T, n nodeTest, text string) {
	t.Helper()
	n.domain, n.opset = microsoft, 1
	if _, err := n.run(t); err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("%s: error %v, want one with %q", n.op, err, text)
	}
}

func TestContribTensorValues(t *testing.T) {
	nan := float32(math.NaN())
	out, err := nodeTest{domain: microsoft, op: "Unique", opset: 1, in: []*tensor.Tensor{vec[float32](2, 1, nan, 1, 3, nan, 0, float32(math.Copysign(0, -1)))}, outputs: 3}.run(t)
	if err != nil {
		t.Fatal(err)
	}
	wantTensor(t, "distinct elements", out[0], vec[float32](2, 1, nan, 3, 0))
	wantTensor(t, "their places", out[1], vec[int64](0, 1, 2, 1, 3, 2, 4, 4))
	wantTensor(t, "their counts", out[2], vec[int64](1, 2, 2, 1, 2))

	// The example of the operator's documentation.
	pad := nodeTest{domain: microsoft, op: "Pad", opset: 1, in: []*tensor.Tensor{mat([]float32{1, 1.25, 2.5, 3.5, 4.5, 5.75}, 3, 2), mat([]int64{0, 2, 0, 0}, 1, 4)}}
	wantTensor(t, "Pad", pad.one(t), mat([]float32{0, 0, 1, 1.25, 0, 0, 2.5, 3.5, 0, 0, 4.5, 5.75}, 3, 4))

	unfold := nodeTest{domain: microsoft, op: "UnfoldTensor", opset: 1, attrs: []graph.Attr{graph.NewAttr("size", int64(2)), graph.NewAttr("dim", int64(0))}, in: []*tensor.Tensor{mat([]string{"a", "b", "c", "d", "e", "f"}, 3, 2)}}
	wantTensor(t, "UnfoldTensor", unfold.one(t), mat([]string{"a", "c", "b", "d", "c", "e", "d", "f"}, 2, 2, 2))
}

func TestContribTensorErrors(t *testing.T) {
	image, box := mat([]float32{1, 2, 3, 4}, 1, 1, 2, 2), mat([]float32{0, 0, 1, 1}, 1, 4)
	wantError(t, nodeTest{op: "CropAndResize", in: []*tensor.Tensor{image, box, vec[int32](1), vec[int32](2, 2)}}, "batch index 0 is 1")
	wantError(t, nodeTest{op: "GatherND", in: []*tensor.Tensor{vec[float32](1, 2), vec[int32](2)}}, "allowed are -2 to 1")
	wantError(t, nodeTest{op: "Range", in: []*tensor.Tensor{tensor.Scalar[int64](0), tensor.Scalar[int64](3), tensor.Scalar[int64](0)}}, "would not end")
	wantError(t, nodeTest{op: "Pad", in: []*tensor.Tensor{vec[float32](1, 2), vec[int64](0, 0), vec[float32](1, 2)}}, "must be one element")
}

func TestContribTextValues(t *testing.T) {
	tokens := func(in *tensor.Tensor, pairs ...graph.Attr) nodeTest {
		return nodeTest{domain: microsoft, op: "Tokenizer", opset: 1, in: []*tensor.Tensor{in},
			attrs: append([]graph.Attr{graph.NewAttr("pad_value", "#"), graph.NewAttr("mincharnum", int64(1))}, pairs...)}
	}
	mark, plain := graph.NewAttr("mark", int64(1)), graph.NewAttr("mark", int64(0))
	blanks := graph.NewAttr("separators", []string{" "})
	// The examples of the operator's documentation.
	text := vec("Hello World", "I love computer science !")
	wantTensor(t, "separators", tokens(text, plain, blanks).one(t),
		mat([]string{"Hello", "World", "#", "#", "#", "I", "love", "computer", "science", "!"}, 2, 5))
	wantTensor(t, "marks", tokens(mat([]string{"Hello", "World a"}, 1, 2), mark, blanks).one(t),
		mat([]string{"\x02", "Hello", "\x03", "#", "\x02", "World", "a", "\x03"}, 1, 2, 4))
	wantTensor(t, "no token", tokens(vec(" ", ""), mark, blanks).one(t), mat([]string{}, 2, 0))
	wantTensor(t, "no string", tokens(mat([]string{}, 2, 0), mark, blanks).one(t), mat([]string{}, 2, 0))
	wantTensor(t, "no string of a vector", tokens(vec[string](), mark, blanks).one(t), vec[string]())
	for _, chars := range []graph.Attr{graph.NewAttr("separators", []string{""}), graph.NewAttr("tokenexp", ".")} {
		wantTensor(t, "characters", tokens(vec("aé", ""), plain, chars).one(t), mat([]string{"a", "é", "#", "#"}, 2, 2))
	}
	both := tokens(vec("ab cd"), plain, blanks, graph.NewAttr("tokenexp", "b"))
	wantTensor(t, "both attributes", both.one(t), mat([]string{"ab", "cd"}, 1, 2))
	wantError(t, tokens(vec("a\xff"), plain, blanks), "is not UTF-8")

	score := nodeTest{domain: microsoft, op: "NGramRepeatBlock", opset: 1, attrs: []graph.Attr{graph.NewAttr("ngram_size", int64(2))},
		in: []*tensor.Tensor{mat([]int64{0, 1, 0}, 1, 3), mat([]float32{1, 2, 3}, 1, 3)}}
	wantTensor(t, "NGramRepeatBlock", score.one(t), mat([]float32{1, float32(math.Inf(-1)), 3}, 1, 3))
	score.in[0] = mat([]int64{0, 3, 0}, 1, 3)
	wantError(t, score, "input_ids[0, 1] is 3")

	source := vec[int64](1, 2, 3)
	for _, c := range []struct {
		from int64
		pred *tensor.Tensor
		text string
	}{{4, vec[int64](1), "allowed are 0 to 3"}, {-1, vec[int64](1), "allowed are 0 to 3"}, {1, vec[int64](1), "must be 3"}} {
		wantError(t, nodeTest{op: "BifurcationDetector", outputs: 2, in: []*tensor.Tensor{source, source, vec(c.from), c.pred}}, c.text)
	}
	part := nodeTest{domain: microsoft, op: "BifurcationDetector", opset: 1, outputs: 2, in: []*tensor.Tensor{source, vec[int64](9), tensor.Scalar[int64](1), vec[int64](2, 7, 7)}}
	out, err := part.run(t)
	if err != nil {
		t.Fatal(err)
	}
	wantTensor(t, "tokens", out[0], vec[int64](9, 2, 7))
	wantTensor(t, "suffix", out[1], tensor.Scalar[int64](-1))
}
