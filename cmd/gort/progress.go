package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// progress draws how far long work is, over itself on a terminal, at most ten
// times a second. A nil progress draws nothing.
type progress struct {
	w     io.Writer
	last  time.Time
	width int
}

// newProgress draws on a terminal, or anywhere when forced.
func newProgress(std *streams, forced bool) *progress {
	if !std.live && !forced {
		return nil
	}
	return &progress{w: std.err}
}

func (p *progress) show(done, total int, what string) {
	if p == nil || time.Since(p.last) < 100*time.Millisecond {
		return
	}
	p.last = time.Now()
	line := fmt.Sprintf("%d/%d %s", done, total, what)
	fmt.Fprintf(p.w, "\r%-*s", p.width, line)
	p.width = len(line)
}

// clear removes the line.
func (p *progress) clear() {
	if p == nil || p.width == 0 {
		return
	}
	fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.width))
	p.width = 0
}
