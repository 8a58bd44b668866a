// Command gort runs, inspects, times and tests ONNX models. "gort help" lists
// its commands; each lies in the file that bears its name.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
)

// streams are the files a command talks to.
type streams struct {
	out, err io.Writer
	// live is set when err is a terminal, where a line may be drawn over.
	live bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	code := execute(ctx, os.Args[1:], &streams{out: os.Stdout, err: os.Stderr, live: isTerminal(os.Stderr)})
	stop()
	os.Exit(code)
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
