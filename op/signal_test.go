package op_test

import "testing"

func TestInferSignal(t *testing.T) {
	runMoveCases(t, []moveCase{
		{"DFT", 17, nil, moveFacts("float[N,10,1]"), "float[N,10,2]"},
		{"DFT", 17, attrs("axis", int64(0), "onesided", int64(1)), moveFacts("float[9,M,1]", "int64[]=6"), "float[4,M,2]"},
		{"DFT", 20, attrs("onesided", int64(1)), moveFacts("float[N,9,1]"), "float[N,5,2]"},
		{"DFT", 20, attrs("onesided", int64(1), "inverse", int64(1)), moveFacts("float[N,5,2]"), "float[N,8,1]"},
		{"DFT", 20, nil, moveFacts("float[N,L,1]"), "float[N,L,2]"},
		{"DFT", 20, nil, moveFacts("float[N,9,1]", "int64[]"), "float[N,?,2]"},
		{"DFT", 20, nil, moveFacts("float[N,9,1]", "", "int64[]"), "float[?,?,2]"},
		{"DFT", 20, nil, moveFacts("float[N,9,1]", "", "int64[]=2"), "!axis is 2"},
		{"DFT", 20, attrs("onesided", int64(1)), moveFacts("float[N,9,2]"), "!needs real numbers"},
		{"DFT", 20, nil, moveFacts("float[N,9,3]"), "!must end in 1 (real) or 2"},
		{"DFT", 20, nil, moveFacts("float[N,9,1]", "int64[]=0"), "!must be in [1,"},
		{"DFT", 20, attrs("onesided", int64(1), "inverse", int64(1)), moveFacts("float[N,1,2]"), "!has length 0"},
		{"STFT", 17, nil, moveFacts("float[N,128,1]", "int64[]=8", "", "int64[]=16"), "float[N,15,9,2]"},
		{"STFT", 17, attrs("onesided", int64(0)), moveFacts("float[N,L,2]", "int64[]=8", "float[16]"), "float[N,?,16,2]"},
		{"STFT", 17, nil, moveFacts("float[N,8,1]", "int64[]=8", "float[16]"), "!shorter than a frame of 16"},
		{"STFT", 17, nil, moveFacts("float[N,80,1]", "int64[]=0", "float[16]"), "!must be in [1,"},
		{"STFT", 17, nil, moveFacts("float[N,80,1]", "int64[]=1", "float[16]", "int64[]=8"), "!the window has 16"},
		{"MelWeightMatrix", 17, nil, moveFacts("int64[]=8", "int64[]=16", "int64[]=8192", "float[]", "float[]"), "float[9,8]"},
		{"MelWeightMatrix", 17, attrs("output_datatype", int64(9)), moveFacts("int64[]=8", "int64[]=16", "int64[]=8192", "float[]", "float[]"), "!allowed are the numbers"},
		{"HannWindow", 17, attrs("output_datatype", int64(11)), moveFacts("int64[]=10"), "double[10]"},
		{"HannWindow", 17, nil, moveFacts("int64[]"), "float[?]"},
		{"HammingWindow", 17, nil, moveFacts("int32[]=-1"), "!must be in [0,"},
		{"ImageDecoder", 20, attrs("pixel_format", "Grayscale"), moveFacts("uint8[N]"), "uint8[?,?,1]"},
		{"ImageDecoder", 20, attrs("pixel_format", "CMYK"), moveFacts("uint8[N]"), "!allowed are RGB"},
	})
}
