package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// command is one subcommand.
type command struct {
	name     string
	purpose  string // one line
	args     string // what follows the flags in the usage line
	about    string // further text, may be empty
	examples []string
	// setup declares the flags and returns what the command does.
	setup func(fs *flag.FlagSet) action
}

// action does a command's work once its flags are parsed.
type action func(ctx context.Context, std *streams, args []string) error

// commands lists the subcommands in the order in which help shows them.
func commands() []*command {
	return []*command{
		demoCommand(), runCommand(), inspectCommand(), benchCommand(), testCommand(), opsCommand(),
		versionCommand(), helpCommand(),
	}
}

func findCommand(name string) (*command, error) {
	var names []string
	for _, c := range commands() {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
	}
	e := &usageError{message: fmt.Sprintf("unknown command %q", name), hint: "gort help lists the commands"}
	if near, ok := nearest(name, names); ok {
		e.hint = fmt.Sprintf("did you mean gort %s?", near)
	}
	return nil, e
}

// execute runs one command line and returns the exit code.
func execute(ctx context.Context, args []string, std *streams) int {
	err := dispatch(ctx, args, std)
	report(std.err, err)
	return exitCode(err)
}

func dispatch(ctx context.Context, args []string, std *streams) error {
	if len(args) == 0 {
		printOverview(std.err)
		return &usageError{silent: true}
	}
	switch args[0] {
	case "-h", "-help", "--help":
		printOverview(std.out)
		return nil
	case "-v", "-version", "--version":
		args[0] = "version"
	}
	c, err := findCommand(args[0])
	if err != nil {
		return err
	}
	fs := newFlagSet(c)
	do := c.setup(fs)
	rest, err := parseArgs(fs, args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		printHelp(std.out, c)
		return nil
	case err != nil:
		return flagError(c, fs, err)
	}
	err = do(ctx, std, rest)
	var usage *usageError
	if errors.As(err, &usage) && usage.hint == "" {
		usage.hint = "see gort " + c.name + " --help"
	}
	return err
}

func newFlagSet(c *command) *flag.FlagSet {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	return fs
}

// parseArgs parses flags before, between and after the other arguments, and
// returns those. All that follows "--" is other arguments.
func parseArgs(fs *flag.FlagSet, args []string) ([]string, error) {
	var rest []string
	for {
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		left := fs.Args()
		if len(left) == 0 {
			return rest, nil
		}
		if at := len(args) - len(left); at > 0 && args[at-1] == "--" {
			return append(rest, left...), nil
		}
		rest = append(rest, left[0])
		args = left[1:]
	}
}

// flagError turns the flag package's error into one that helps.
func flagError(c *command, fs *flag.FlagSet, err error) error {
	e := &usageError{message: err.Error(), hint: "see gort " + c.name + " --help"}
	if name, ok := strings.CutPrefix(e.message, "flag provided but not defined: -"); ok {
		var names []string
		fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
		e.message = fmt.Sprintf("gort %s has no flag --%s", c.name, strings.TrimPrefix(name, "-"))
		if near, ok := nearest(name, names); ok {
			e.hint = fmt.Sprintf("did you mean --%s? %s", near, e.hint)
		}
	}
	return e
}

// oneModel is the only argument of commands that take a model.
func oneModel(args []string) (string, error) {
	switch len(args) {
	case 0:
		return "", usagef("no model given")
	case 1:
		return args[0], nil
	}
	return "", usagef("one model expected, got %d arguments: %s", len(args), strings.Join(args, " "))
}
