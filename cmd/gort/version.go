package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"

	"gort/onnx"
)

// build describes the program.
type build struct {
	Version   string `json:"version"`
	Revision  string `json:"revision,omitempty"`
	Modified  bool   `json:"modified,omitempty"`
	Go        string `json:"go"`
	System    string `json:"system"`
	CPUs      int    `json:"cpus"`
	IRVersion int    `json:"max_ir_version"`
}

func thisBuild() build {
	b := build{Version: "(devel)", Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.NumCPU(), IRVersion: onnx.MaxIRVersion}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func versionCommand() *command {
	return &command{
		name:     "version",
		purpose:  "Print the version of the program and of the format it reads.",
		examples: []string{"gort version", "gort version --json"},
		setup: func(fs *flag.FlagSet) action {
			asJSON := fs.Bool("json", false, "print JSON")
			return func(_ context.Context, std *streams, args []string) error {
				if len(args) > 0 {
					return usagef("no arguments expected, got %q", args[0])
				}
				b := thisBuild()
				if *asJSON {
					return json.NewEncoder(std.out).Encode(b)
				}
				fmt.Fprintf(std.out, "gort %s", b.Version)
				if b.Revision != "" {
					fmt.Fprintf(std.out, " (%.12s", b.Revision)
					if b.Modified {
						fmt.Fprint(std.out, ", modified")
					}
					fmt.Fprint(std.out, ")")
				}
				_, err := fmt.Fprintf(std.out, "\n%s %s, %d CPUs, ONNX IR version up to %d\n", b.Go, b.System, b.CPUs, b.IRVersion)
				return err
			}
		},
	}
}
