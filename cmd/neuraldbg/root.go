package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
)

// app is what all commands share: the streams and the log.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer

	logPath  string
	logLevel string
	log      zerolog.Logger
	logFile  *os.File
}

// newRootCommand builds the command tree. It opens nothing.
func newRootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "neuraldbg",
		Short: "A debugger for Python whose next state is predicted, not run",
		Long: `neuraldbg debugs Python functions by prediction: a language model says what the
next state is after a step, forward or backward. The program is read, not run.`,
		Args:              noMoreArguments,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		PersistentPreRunE: func(*cobra.Command, []string) error { return a.openLog() },
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%s; see %s --help", numberFault.ReplaceAllString(err.Error(), ": "), cmd.CommandPath())
	})
	flags := root.PersistentFlags()
	flags.StringVar(&a.logPath, "log-file", "", "write the log to this `FILE` instead of standard error")
	flags.StringVar(&a.logLevel, "log-level", "warn", "what to log: debug, info, warn, error or off")

	root.AddCommand(
		newDapCommand(a),
		newRunCommand(a),
		newPredictCommand(a),
		newRecordCommand(a),
		newDatasetCommand(a),
		newTrainCommand(a),
		newEvalCommand(a),
		newDoctorCommand(a),
		newDemoCommand(a),
		newModelCommand(a),
		newModelsCommand(a),
	)
	return root
}

// openLog makes the logger that the flags ask for.
func (a *app) openLog() error {
	level := zerolog.Disabled
	if a.logLevel != "off" {
		var err error
		if level, err = zerolog.ParseLevel(a.logLevel); err != nil || a.logLevel == "" {
			return usagef("unknown --log-level %q; levels are debug, info, warn, error, off", a.logLevel)
		}
	}
	var w io.Writer = zerolog.ConsoleWriter{Out: a.stderr, NoColor: true, TimeFormat: "15:04:05.000"}
	if a.logPath != "" {
		file, err := os.OpenFile(a.logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("open the log: %w; give --log-file a file that can be written", err)
		}
		a.logFile, w = file, file
	}
	a.log = zerolog.New(w).Level(level).With().Timestamp().Logger()
	return nil
}

func (a *app) close() {
	if a.logFile != nil {
		_ = a.logFile.Close()
	}
}

// noMoreArguments refuses positional arguments, naming the first.
func noMoreArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasSubCommands() {
		return usagef("unknown command %q; %s has %s", args[0], cmd.CommandPath(), strings.Join(subcommandNames(cmd), ", "))
	}
	return usagef("unexpected argument %q; see %s --help", args[0], cmd.CommandPath())
}

// oneFile wants exactly one argument, a Python file.
func oneFile(cmd *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return usagef("%s needs a Python file; see %s --help", cmd.CommandPath(), cmd.CommandPath())
	case 1:
		return nil
	}
	return usagef("%s takes one Python file, but got also %q", cmd.CommandPath(), args[1])
}

func subcommandNames(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			names = append(names, c.Name())
		}
	}
	return names
}
