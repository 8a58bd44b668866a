package element

import (
	"testing"

	"gort/tensor"
)

func TestWordsAliasTheWindow(t *testing.T) {
	x := tensor.Must(tensor.FromSlice([]float32{1, 2, 3, 4}))
	part := tensor.Must(x.Slice(0, 1, 2, 1))
	w := Words[uint32](part)
	if len(w) != 2 || w[0] != 0x40000000 || cap(w) != 2 {
		t.Fatalf("got %#x of capacity %d, want the bits of 2 and 3", w, cap(w))
	}
	w[0] = 0x3f000000
	if got := tensor.Elements[float32](x)[1]; got != 0.5 {
		t.Errorf("element 1 is %v after writing 0.5", got)
	}
	if n := len(Storage[uint32](part)); n != 4 {
		t.Errorf("storage of %d words, want 4", n)
	}
	s := tensor.Must(tensor.FromSlice([]string{"a", "b"}))
	if got := Words[string](s); len(got) != 2 || got[1] != "b" {
		t.Errorf("strings: got %q", got)
	}
}

func TestWordsOfAnotherWidthPanic(t *testing.T) {
	for name, f := range map[string]func(){
		"narrow":    func() { Words[uint16](tensor.Scalar[float32](1)) },
		"string":    func() { Words[string](tensor.Scalar[float32](1)) },
		"of string": func() { Words[uint8](tensor.Scalar("a")) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func TestCastLeavesTheRest(t *testing.T) {
	if n := len(Cast[uint32](make([]byte, 7))); n != 1 {
		t.Errorf("7 bytes are %d words of 4, want 1", n)
	}
	if Cast[uint64](make([]byte, 7)) != nil {
		t.Error("7 bytes hold no word of 8")
	}
}

func TestPacked(t *testing.T) {
	for _, bits := range []int{2, 4} {
		data := make([]byte, 3)
		per := 8 / bits
		for i := range 3 * per {
			Set(data, bits, i, byte(i*7+1))
		}
		Set(data, bits, 1, 0xff)
		for i := range 3 * per {
			want := byte(i*7+1) & (1<<bits - 1)
			if i == 1 {
				want = 1<<bits - 1
			}
			if got := Get(data, bits, i); got != want {
				t.Errorf("%d bits, element %d: got %d, want %d", bits, i, got, want)
			}
		}
	}
}
