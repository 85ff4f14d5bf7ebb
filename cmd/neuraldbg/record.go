package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/record"
)

func newRecordCommand(a *app) *cobra.Command {
	var o record.Options
	cmd := &cobra.Command{
		Use:   "record FILE [flags] [-- ARGUMENT...]",
		Short: "Run a Python file under CPython and record the states it goes through",
		Long: `Run a Python file under CPython, and write every state that it goes through to
a trace file. This runs the code. What follows -- is the program's sys.argv.

The trace then answers as a model does: --model replay:TRACE.`,
		Example: `  neuraldbg record count_berry.py --entry 'count("berry", "r")' -o berry.trace
  neuraldbg record count_berry.py -o module.trace`,
		Args: func(cmd *cobra.Command, args []string) error {
			if dash := cmd.ArgsLenAtDash(); dash >= 0 {
				args = args[:dash]
			}
			return oneFile(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.File, o.Args = args[0], args[1:]
			return a.record(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Entry, "entry", "", "the `CALL` to record, such as 'count(\"berry\", \"r\")'; absent: the whole file")
	flags.StringVarP(&o.Trace, "output", "o", "", "the `TRACE` file to write (default: FILE with .trace for .py)")
	flags.StringVar(&o.Python, "python", "", "the Python `INTERPRETER` (default python3)")
	flags.StringArrayVar(&o.Files, "include", nil, "a further `FILE` or folder whose frames are recorded; may be repeated")
	flags.IntVar(&o.Limits.Events, "max-states", record.DefaultEvents, "end the program after `N` states")
	flags.DurationVar(&o.Limits.Time, "max-time", record.DefaultTime, "end the program after this `TIME`")
	flags.IntVar(&o.Limits.Repr, "max-repr", record.DefaultRepr, "cut a repr after `N` characters")
	flags.BoolVar(&o.KeepAddresses, "keep-addresses", false, "leave memory addresses in reprs")
	return cmd
}

// record runs the program, whose output is this command's output, and says on
// standard error what was recorded.
func (a *app) record(ctx context.Context, o record.Options) error {
	switch {
	case o.Limits.Events < 1:
		return usagef("--max-states must be at least 1, got %d", o.Limits.Events)
	case o.Limits.Time <= 0:
		return usagef("--max-time must be above 0, got %v", o.Limits.Time)
	case o.Limits.Repr < 1:
		return usagef("--max-repr must be at least 1, got %d", o.Limits.Repr)
	}
	for _, path := range o.Files {
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("--include: %w", err)
		}
	}
	if _, err := timeline.ReadFile(o.File); err != nil {
		return err
	}
	if o.Trace == "" {
		o.Trace = strings.TrimSuffix(o.File, filepath.Ext(o.File)) + ".trace"
	}
	o.Stdin, o.Stdout, o.Stderr = a.stdin, a.stdout, a.stderr
	result, err := record.Run(ctx, o)
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted; %s has what was recorded until then", o.Trace)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "recorded %s in %s, %s\n",
		count(len(result.Recording.States), "state"), o.Trace, describeEnd(result.Recording))
	return nil
}

func describeEnd(r statetree.Recording) string {
	if r.Cut != "" {
		return "cut off: " + r.Cut
	}
	return "exit " + r.Exit.String()
}

// count writes a number with its noun: "1 state", "3 states".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
