package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/statetree/record"
)

// recordFlags are those of the record command.
type recordFlags struct {
	entry, output, python string
	include, exclude      []string
	limits                record.Limits
	keepAddresses         bool
}

func newRecordCommand(a *app) *cobra.Command {
	var f recordFlags
	cmd := &cobra.Command{
		Use:   "record [FILE] [flags] [-- ARGUMENT...]",
		Short: "Run Python under CPython and record the states it goes through",
		Long: `Run a Python file under CPython, and write every state that it goes through to
a trace file. This runs the code. What follows -- is the program's sys.argv. The
trace then answers as a model does: --model replay:TRACE. The exit code is the
program's, unless a limit has ended it.

Without a FILE, what follows -- is a command, such as a test run. The Python
processes in it are recorded, with their threads and the Python processes that
they start: one trace a thread, in a folder. The command's output and exit code
are its own.`,
		Example: `  neuraldbg record count_berry.py --entry 'count("berry", "r")' -o berry.trace
  neuraldbg record count_berry.py -o module.trace
  neuraldbg record -o traces --include src -- python -m pytest -q`,
		Args: func(cmd *cobra.Command, args []string) error {
			dash := cmd.ArgsLenAtDash()
			if dash == 0 && len(args) > 0 {
				return nil
			}
			if dash >= 0 {
				args = args[:dash]
			}
			return oneFile(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if cmd.ArgsLenAtDash() == 0 {
				return a.recordCommand(cmd, f, args)
			}
			return a.recordFile(cmd.Context(), f, args[0], args[1:])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.entry, "entry", "", "the `CALL` to record, such as 'count(\"berry\", \"r\")'; absent: the whole file")
	flags.StringVarP(&f.output, "output", "o", "", "the `TRACE` file to write (default: FILE with .trace for .py), or the folder for a command's (default: traces)")
	flags.StringVar(&f.python, "python", "", "the Python `INTERPRETER` (default python3)")
	flags.StringArrayVar(&f.include, "include", nil, "a file or folder whose frames are recorded, as `PATH`; may be repeated (default of a command: the working folder, without installed packages)")
	flags.StringArrayVar(&f.exclude, "exclude", nil, "a file or folder in those that a command leaves out, as `PATH`; may be repeated")
	flags.IntVar(&f.limits.Events, "max-states", record.DefaultEvents, "record at most `N` states; then a file ends, a command goes on (default of a command 10000000)")
	flags.DurationVar(&f.limits.Time, "max-time", record.DefaultTime, "end the program after this `TIME` (default of a command 1h)")
	flags.IntVar(&f.limits.Repr, "max-repr", record.DefaultRepr, "cut a repr after `N` characters")
	flags.Int64Var(&f.limits.Bytes, "max-bytes", record.DefaultBytes, "write at most about `N` bytes, before compression (default of a command 2147483648)")
	flags.BoolVar(&f.keepAddresses, "keep-addresses", false, "leave memory addresses in reprs")
	return cmd
}

func (f *recordFlags) check() error {
	if err := checkNumbers(number{"max-states", f.limits.Events, 1, unbounded}, number{"max-repr", f.limits.Repr, 1, unbounded}); err != nil {
		return err
	}
	switch {
	case f.limits.Time <= 0:
		return usagef("--max-time must be above 0, got %v", f.limits.Time)
	case f.limits.Bytes < 1:
		return usagef("--max-bytes must be at least 1, got %d", f.limits.Bytes)
	}
	for name, paths := range map[string][]string{"--include": f.include, "--exclude": f.exclude} {
		for _, path := range paths {
			if _, err := os.Stat(path); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// recordFile runs a file, whose output is this command's output, and says on
// standard error what was recorded.
func (a *app) recordFile(ctx context.Context, f recordFlags, file string, args []string) error {
	if len(f.exclude) > 0 {
		return usagef("--exclude is for commands; a file is recorded with what --include names")
	}
	if _, err := timeline.ReadFile(file); err != nil {
		return err
	}
	o := record.Options{
		Python: f.python, File: file, Entry: f.entry, Args: args, Files: f.include, KeepAddresses: f.keepAddresses,
		Limits: f.limits, Trace: f.output, Stdin: a.stdin, Stdout: a.stdout, Stderr: a.stderr,
	}
	if o.Trace == "" {
		o.Trace = strings.TrimSuffix(file, filepath.Ext(file)) + ".trace"
	}
	summary, err := record.Write(ctx, o)
	if errors.Is(err, context.Canceled) {
		return interruptedf("; %s has what was recorded until then", o.Trace)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "recorded %s in %s, %s\n", count(summary.States, "state"), o.Trace, describeEnd(summary))
	a.describeShortened(summary.Shortened)
	if summary.ExitCode != 0 && record.LimitOf(summary.Cut) == record.NoLimit {
		return exitStatus(summary.ExitCode)
	}
	return nil
}

// recordCommand runs a command and says on standard error what was recorded. The
// exit code is the command's.
func (a *app) recordCommand(cmd *cobra.Command, f recordFlags, command []string) error {
	for _, name := range []string{"entry", "python"} {
		if cmd.Flags().Changed(name) {
			return usagef("--%s is for a file; a command says itself what runs", name)
		}
	}
	o := record.CommandOptions{
		Command: command, Folder: f.output, Include: f.include, Exclude: f.exclude, KeepAddresses: f.keepAddresses,
		Limits: record.Limits{Repr: f.limits.Repr}, Stdin: a.stdin, Stdout: a.stdout, Stderr: a.stderr,
	}
	if o.Folder == "" {
		o.Folder = "traces"
	}
	if cmd.Flags().Changed("max-states") {
		o.Limits.Events = f.limits.Events
	}
	if cmd.Flags().Changed("max-time") {
		o.Limits.Time = f.limits.Time
	}
	if cmd.Flags().Changed("max-bytes") {
		o.Limits.Bytes = f.limits.Bytes
	}
	result, err := record.Command(cmd.Context(), o)
	if errors.Is(err, context.Canceled) {
		return interruptedf("; %s has what was recorded until then", o.Folder)
	}
	if err != nil {
		return err
	}
	a.describeTraces(o.Folder, result)
	if result.Cut != "" {
		return nil
	}
	if result.ExitCode != 0 {
		return exitStatus(result.ExitCode)
	}
	return nil
}

// describeTraces says what a command's traces hold, and which limits they met.
func (a *app) describeTraces(folder string, result record.CommandResult) {
	if result.Cut != "" {
		fmt.Fprintf(a.stderr, "the command was ended: %s\n", result.Cut)
	}
	if len(result.Traces) == 0 {
		fmt.Fprintln(a.stderr, "recorded nothing: no Python process ran a file that is included; see --include")
		return
	}
	states, shortened := 0, 0
	cuts := make(map[string]int)
	for _, trace := range result.Traces {
		states += trace.States
		shortened += trace.Shortened
		if trace.Cut != "" {
			cuts[trace.Cut]++
		}
	}
	fmt.Fprintf(a.stderr, "recorded %s in %s in %s\n", count(states, "state"), count(len(result.Traces), "trace"), folder)
	for _, cut := range slices.Sorted(maps.Keys(cuts)) {
		fmt.Fprintf(a.stderr, "%s cut off: %s\n", count(cuts[cut], "trace"), cut)
	}
	a.describeShortened(shortened)
}

func (a *app) describeShortened(reprs int) {
	if reprs > 0 {
		fmt.Fprintf(a.stderr, "%s cut at --max-repr\n", count(reprs, "repr"))
	}
}

func describeEnd(r record.Summary) string {
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
