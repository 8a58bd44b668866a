package tensor

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Format writes a value for people to read: its type and shape, then its elements
// in nested brackets as NumPy prints them, one per column. A tensor of more than
// maxElems elements is abridged to the three first and last of each dimension;
// a negative maxElems prints everything. The error is the writer's.
func Format(w io.Writer, v Value, maxElems int) error {
	b := bufio.NewWriter(w)
	f := formatter{w: b, max: maxElems}
	f.value(v, "")
	return b.Flush()
}

const (
	edgeItems = 3 // elements at either end of an abridged dimension
	lineWidth = 100
)

type formatter struct {
	w   *bufio.Writer
	max int
}

func (f *formatter) value(v Value, indent string) {
	switch v := v.(type) {
	case nil:
		f.line("nothing")
	case *Tensor:
		f.line(v.String())
		f.tensor(v, indent)
	case *Sequence:
		f.line(fmt.Sprintf("%v of %d", v.Type(), len(v.Items)))
		for i, item := range v.Items {
			f.entry(fmt.Sprintf("[%d]", i), item, indent+"  ")
		}
	case *Optional:
		if v.Value == nil {
			f.line(v.String())
			return
		}
		f.w.WriteString("optional ")
		f.value(v.Value, indent)
	case *Map:
		f.entries(v, indent+"  ")
	}
}

func (f *formatter) line(s string) {
	f.w.WriteString(s)
	f.w.WriteByte('\n')
}

func (f *formatter) entry(key string, v Value, indent string) {
	f.w.WriteString(indent + key + " ")
	f.value(v, indent)
}

func (f *formatter) entries(m *Map, indent string) {
	keys, err := printedKeys(m)
	if err != nil {
		f.line("map without keys")
		return
	}
	f.line(m.String())
	for i, k := range keys {
		v, err := mapValue(m, i)
		if err != nil {
			f.line(indent + k + ": no value")
			continue
		}
		if t, ok := v.(*Tensor); ok && t.Rank() == 0 {
			f.line(indent + k + ": " + newPrinter(t)(t.offset))
			continue
		}
		f.entry(k+":", v, indent)
	}
}

// tensor writes the elements, right-aligned to the widest of those shown.
func (f *formatter) tensor(t *Tensor, indent string) {
	f.w.WriteString(indent)
	if t.size == 0 {
		f.line("[]")
		return
	}
	g := grid{
		w: f.w, shape: t.shape, strides: t.Strides(), print: newPrinter(t),
		abridge: f.max >= 0 && t.size > f.max, indent: indent,
	}
	g.measure(0, t.offset)
	g.write(0, t.offset)
	f.w.WriteByte('\n')
}

// grid prints the elements of one tensor that has some.
type grid struct {
	w       *bufio.Writer
	shape   Shape
	strides []int
	print   printer
	abridge bool
	indent  string
	width   int // of the widest element shown
}

// shown calls visit for each index along a dimension of n that is printed, and
// with -1 in the place of those left out.
func (g *grid) shown(n int, visit func(i int)) {
	for i := 0; i < n; i++ {
		if g.abridge && n > 2*edgeItems && i == edgeItems {
			visit(-1)
			i = n - edgeItems
		}
		visit(i)
	}
}

func (g *grid) measure(dim, at int) {
	if dim == len(g.shape) {
		g.width = max(g.width, utf8.RuneCountInString(g.print(at)))
		return
	}
	g.shown(g.shape[dim], func(i int) {
		if i >= 0 {
			g.measure(dim+1, at+i*g.strides[dim])
		}
	})
}

func (g *grid) write(dim, at int) {
	switch inner := len(g.shape) - 1 - dim; {
	case inner < 0:
		g.w.WriteString(g.print(at))
		return
	case inner == 0:
		g.row(dim, at)
		return
	default:
		margin := strings.Repeat("\n", inner) + g.indent + strings.Repeat(" ", dim+1)
		g.w.WriteByte('[')
		g.shown(g.shape[dim], func(i int) {
			if i != 0 {
				g.w.WriteString(margin)
			}
			if i < 0 {
				g.w.WriteString("...")
				return
			}
			g.write(dim+1, at+i*g.strides[dim])
		})
		g.w.WriteByte(']')
	}
}

// row writes the innermost dimension, broken where a line would grow too long.
func (g *grid) row(dim, at int) {
	margin := "\n" + g.indent + strings.Repeat(" ", dim+1)
	column := len(margin)
	g.w.WriteByte('[')
	g.shown(g.shape[dim], func(i int) {
		s := "..."
		if i >= 0 {
			s = g.print(at + i*g.strides[dim])
			s = strings.Repeat(" ", g.width-utf8.RuneCountInString(s)) + s
		}
		size := utf8.RuneCountInString(s)
		switch {
		case i == 0:
		case column+1+size > lineWidth:
			g.w.WriteString(margin)
			column = len(margin)
		default:
			g.w.WriteByte(' ')
			column++
		}
		g.w.WriteString(s)
		column += size
	})
	g.w.WriteByte(']')
}
