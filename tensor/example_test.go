package tensor_test

import (
	"bytes"
	"fmt"
	"os"

	"gort/tensor"
)

// A tensor aliases the slice it is made of.
func ExampleFromSlice() {
	pixels := []float32{0, 0.25, 0.5, 0.75, 1, 1.25}
	t, err := tensor.FromSlice(pixels, 2, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	pixels[0] = -1
	fmt.Println(t)
	if err := tensor.Format(os.Stdout, t, 100); err != nil {
		fmt.Println(err)
	}
	// Output:
	// float32 2x3
	// float32 2x3
	// [[  -1 0.25  0.5]
	//  [0.75    1 1.25]]
}

// Data gives the elements back as a slice, when the type is right and there are no gaps.
func ExampleData() {
	t := tensor.Must(tensor.FromSlice([]int64{3, 1, 2}))
	elems, err := tensor.Data[int64](t)
	fmt.Println(elems, err)
	_, err = tensor.Data[float32](t)
	fmt.Println(err)
	// Output:
	// [3 1 2] <nil>
	// tensor: elements are int64, not float32
}

// Convert follows the ONNX Cast operator.
func ExampleConvert() {
	t := tensor.Must(tensor.FromSlice([]float32{0.1, 2.9, -1.5, 70000}))
	for _, to := range []tensor.DType{tensor.Float16, tensor.Int32, tensor.Float8E4M3FN, tensor.String} {
		c, err := tensor.Convert(t, to, tensor.ConvertOptions{})
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := tensor.Format(os.Stdout, c, 100); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// float16 4
	// [ 0.1  2.9 -1.5  inf]
	// int32 4
	// [    0     2    -1 70000]
	// float8e4m3fn 4
	// [ 0.1    3 -1.5  450]
	// string 4
	// [      "0.1" "2.9000001"      "-1.5"     "70000"]
}

// Views change shape and strides, never the elements.
func ExampleTensor_Slice() {
	t := tensor.Must(tensor.FromSlice([]int8{1, 2, 3, 4, 5, 6}, 2, 3))
	columns := tensor.Must(t.Slice(1, 2, 2, -2)) // the last, then the first
	turned := tensor.Must(columns.Transpose())
	fmt.Println(turned.Shape(), turned.Strides(), turned.IsContiguous())
	if err := tensor.Format(os.Stdout, turned, 100); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 2x2 [-2 3] false
	// int8 2x2
	// [[3 6]
	//  [1 4]]
}

// ReadNPY reads what numpy.save wrote.
func ExampleReadNPY() {
	var file bytes.Buffer
	if err := tensor.WriteNPY(&file, tensor.Must(tensor.FromSlice([]string{"cat", "dog"}))); err != nil {
		fmt.Println(err)
		return
	}
	t, err := tensor.ReadNPY(&file, tensor.MaxBytes(1<<20))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tensor.Elements[string](t))
	// Output: [cat dog]
}

// Compare says where two values differ and by how much.
func ExampleCompare() {
	want := tensor.Must(tensor.FromSlice([]float32{1, 2, 4}))
	got := tensor.Must(tensor.FromSlice([]float32{1.0001, 2, 4.5}))
	fmt.Println(tensor.Compare(got, want, 1e-3, 1e-7))
	// Output: tensor: 1 of 3 elements differ, the first at [2]: got 4.5, want 4 (largest difference 0.5, relative 0.125)
}

// FromJSON reads nested lists.
func ExampleFromJSON() {
	t, err := tensor.FromJSON([]byte(`[[1, 2.5], [3, "NaN"]]`), tensor.Float32)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := tensor.Format(os.Stdout, t, 100); err != nil {
		fmt.Println(err)
	}
	// Output:
	// float32 2x2
	// [[  1 2.5]
	//  [  3 nan]]
}
