package main

import (
	"context"
	"flag"
)

func helpCommand() *command {
	return &command{
		name:     "help",
		purpose:  "Describe a command, or list them all.",
		args:     "[COMMAND]",
		examples: []string{"gort help", "gort help run"},
		setup: func(*flag.FlagSet) action {
			return func(_ context.Context, std *streams, args []string) error {
				switch len(args) {
				case 0:
					printOverview(std.out)
					return nil
				case 1:
					c, err := findCommand(args[0])
					if err != nil {
						return err
					}
					printHelp(std.out, c)
					return nil
				}
				return usagef("one command expected, got %d arguments", len(args))
			}
		},
	}
}
