package main

import (
	"math"
	"strings"
)

// preview draws a plane of 0 … 1, two rows of it a line, in ASCII.
func preview(at []float32, width int) string {
	const shades = " .:-=+*#%@"
	var b strings.Builder
	for row := 0; (row+2)*width <= len(at); row += 2 {
		line := make([]byte, width)
		for x := range width {
			v := (at[row*width+x] + at[(row+1)*width+x]) / 2
			line[x] = shades[min(len(shades)-1, max(0, int(v*float32(len(shades)))))]
		}
		b.WriteString(strings.TrimRight(string(line), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// bar draws a share of 0 … 1 as a bar of at most width marks.
func bar(share float64, width int) string {
	return strings.Repeat("#", int(math.Round(min(1, max(0, share))*float64(width))))
}
