package main

import (
	"fmt"
	"os"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/model/rpc"
	"github.com/neuraldbg/neuraldbg/model/server"
)

// maxLogSize is the size in bytes from which a log is begun anew.
const maxLogSize = 4 << 20

func newServeCommand() *cobra.Command {
	var (
		runtimeDir, logFile, logLevel string
		idle                          time.Duration
	)
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Hold models for debuggers until nothing is asked for a while",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			self, err := os.Executable()
			if err != nil {
				return err
			}
			dir := rpc.RuntimeDir(runtimeDir)
			if dir == "" {
				if dir, err = rpc.DefaultRuntimeDir(self); err != nil {
					return err
				}
			}
			build, err := rpc.ExecutableID(self)
			if err != nil {
				return err
			}
			listener, err := server.Listen(dir)
			if err != nil {
				return err
			}
			defer listener.Close() // with its socket, also where there is no log
			if logFile == "" {
				logFile = dir.Log()
			}
			log, closeLog, err := openLog(logFile, logLevel)
			if err != nil {
				return err
			}
			defer closeLog()
			return server.New(server.Options{
				Load: loadPredictor, Build: build, IdleTimeout: idle, Log: log,
			}).Serve(cmd.Context(), listener)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&runtimeDir, "runtime-dir", "", "make the socket in this `FOLDER` (default: one for this executable in $XDG_RUNTIME_DIR/neuraldbg)")
	flags.DurationVar(&idle, "idle-timeout", server.DefaultIdleTimeout, "end after this time without a request; negative: never")
	flags.StringVar(&logFile, "log-file", "", "write the log to this `FILE` (default model.log beside the socket)")
	flags.StringVar(&logLevel, "log-level", "info", "what to log: debug, info, warn, error or off")
	return cmd
}

// openLog opens the log file, anew when it has grown large.
func openLog(path, level string) (log zerolog.Logger, closeLog func(), err error) {
	l, err := parseLevel(level)
	if err != nil {
		return log, nil, usageError{err}
	}
	mode := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if info, err := os.Stat(path); err == nil && info.Size() > maxLogSize {
		mode |= os.O_TRUNC
	}
	f, err := os.OpenFile(path, mode, 0o600)
	if err != nil {
		return log, nil, fmt.Errorf("opening the log: %w", err)
	}
	return zerolog.New(f).Level(l).With().Timestamp().Logger(), func() { f.Close() }, nil
}

func parseLevel(level string) (zerolog.Level, error) {
	if level == "off" {
		return zerolog.Disabled, nil
	}
	l, err := zerolog.ParseLevel(level)
	if err != nil || l == zerolog.NoLevel {
		return l, fmt.Errorf("unknown log level %q; levels are debug, info, warn, error, off", level)
	}
	return l, nil
}
