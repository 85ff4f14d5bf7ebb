package record

import (
	"cmp"
	"context"
	_ "embed" // what a command's processes import
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

//go:embed python/follow.py
var followScript string

//go:embed python/sitecustomize.py
var sitecustomizeScript string

// CommandOptions say what command to run, and what to record of the Python
// processes in it.
type CommandOptions struct {
	// Command is a program, a path or a name on PATH, and its arguments.
	Command []string
	// Folder is where the traces go. It is made, and must not have any yet.
	Folder string
	// Include are the files and folders whose frames are recorded; default Dir.
	// Exclude are those that are left out. Of two, the inner one decides.
	// Installed packages (folders site-packages and dist-packages) are left out
	// unless Include names them or what is in them.
	Include, Exclude []string
	KeepAddresses    bool
	// Limits are those of all traces together. Defaults here: 10 million events,
	// an hour, 2 GiB; reprs of 4,096 characters. Beyond the limit of events or
	// bytes, which may be found some thousand events late, the command goes on and
	// is not recorded; beyond that of time it is killed.
	Limits Limits

	// Dir, Env and the streams are the command's own, as in Options.
	Dir            string
	Env            []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// CommandResult is a command that has ended.
type CommandResult struct {
	// ExitCode is the command's own, as shells say it: 128 and the signal's number
	// when one ended it; -1 when its time was over before it began.
	ExitCode int
	// Cut says that the limit of time ended the command; empty otherwise.
	Cut string
	// Traces are what was recorded, a trace for each thread with recorded frames,
	// in the order of their paths.
	Traces []TraceSummary
}

// TraceSummary is the Summary of a trace in a folder.
type TraceSummary struct {
	Path string
	Summary
}

// The defaults of a command's Limits.
const (
	DefaultCommandEvents = 10_000_000
	DefaultCommandTime   = time.Hour
	DefaultCommandBytes  = 2 << 30
)

// followSettings is what follow.py is told; as in settings, its JSON is a Python
// expression.
type followSettings struct {
	Folder        string   `json:"folder"`
	Sums          string   `json:"sums"`
	Complaints    string   `json:"complaints"`
	Root          string   `json:"root"`
	Include       []string `json:"include"`
	Exclude       []string `json:"exclude"`
	Events        int      `json:"events"`
	Repr          int      `json:"repr"`
	Bytes         int64    `json:"bytes"`
	KeepAddresses int      `json:"keep_addresses"`
}

// Command runs a command and records the Python processes in it: the command
// itself, and those that it forks or starts with its environment (Python's
// options -E, -I and -S take them out of reach). How the command ends is no error.
// Where the disk takes no more, the command goes on and is not recorded.
func Command(ctx context.Context, o CommandOptions) (CommandResult, error) {
	limits := o.Limits
	if limits.Events <= 0 {
		limits.Events = DefaultCommandEvents
	}
	if limits.Time <= 0 {
		limits.Time = DefaultCommandTime
	}
	if limits.Bytes <= 0 {
		limits.Bytes = DefaultCommandBytes
	}
	o.Limits = limits.withDefaults()
	if len(o.Command) == 0 {
		return CommandResult{}, errors.New("there is no command to record")
	}
	program, err := exec.LookPath(o.Command[0]) // before a folder is made for it
	if err != nil {
		return CommandResult{}, fmt.Errorf("no program %q: %w", o.Command[0], errors.Unwrap(err))
	}
	settings, err := o.settings()
	if err != nil {
		return CommandResult{}, err
	}
	hook, err := installHook(settings)
	if err != nil {
		return CommandResult{}, fmt.Errorf("preparing to follow the command: %w", err)
	}
	// What still runs after the command is left alone, and finds no place to write.
	defer os.RemoveAll(hook)

	result, runErr := o.run(ctx, program, hook)
	if complaints, err := os.ReadFile(settings.Complaints); err == nil && o.Stderr != nil {
		o.Stderr.Write(complaints)
	}
	if err := finishTraces(settings.Folder); err != nil {
		return CommandResult{}, err
	}
	if runErr != nil {
		return CommandResult{}, runErr
	}
	result.Traces, err = summarizeFolder(settings.Folder)
	return result, err
}

// run runs the command, whose program was found, until it ends or its time is
// over.
func (o *CommandOptions) run(ctx context.Context, program, hook string) (CommandResult, error) {
	timed, cancel := context.WithTimeoutCause(ctx, o.Limits.Time, errTime)
	defer cancel()
	command := exec.CommandContext(timed, program, o.Command[1:]...)
	command.Args[0] = o.Command[0]
	command.Dir, command.Env = o.Dir, followed(environment(o.Env), hook)
	command.Stdin, command.Stdout, command.Stderr = o.Stdin, o.Stdout, o.Stderr
	command.WaitDelay = time.Second
	endTogether(command)
	err := command.Run()
	late := context.Cause(timed) == errTime
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return CommandResult{}, fmt.Errorf("recording %s: %w", o.Command[0], ctx.Err())
	case err != nil && !late && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay):
		return CommandResult{}, fmt.Errorf("running %s: %w", o.Command[0], err)
	}
	result := CommandResult{ExitCode: -1}
	if command.ProcessState != nil { // it began
		result.ExitCode = exitCode(command.ProcessState)
	}
	if late {
		result.Cut = limitPrefix + o.Limits.Time.String()
	}
	return result, nil
}

// settings makes the folder and finds out what is meant by the options.
func (o *CommandOptions) settings() (*followSettings, error) {
	s := &followSettings{Events: o.Limits.Events, Repr: o.Limits.Repr, Bytes: o.Limits.Bytes, KeepAddresses: asNumber(o.KeepAddresses)}
	include := o.Include
	if len(include) == 0 {
		include = []string{"."}
	}
	var err error
	if s.Root, err = o.place("."); err != nil {
		return nil, err
	}
	if s.Include, err = o.places(include); err != nil {
		return nil, err
	}
	if s.Exclude, err = o.places(o.Exclude); err != nil {
		return nil, err
	}
	if s.Folder, err = filepath.Abs(o.Folder); err != nil {
		return nil, fmt.Errorf("naming the folder for the traces: %w", err)
	}
	if err := os.MkdirAll(s.Folder, 0o777); err != nil {
		return nil, fmt.Errorf("making the folder for the traces: %w", err)
	}
	if traces, err := Traces(s.Folder); err == nil {
		return nil, fmt.Errorf("%s has traces already, such as %s; name another folder", o.Folder, filepath.Base(traces[0]))
	}
	return s, nil
}

// place returns where a path leads, without symbolic links.
func (o *CommandOptions) place(path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(o.Dir, path)
	}
	path, err := filepath.Abs(path)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return "", fmt.Errorf("looking for what to record: %w", err)
	}
	return path, nil
}

func (o *CommandOptions) places(paths []string) ([]string, error) {
	places := make([]string, 0, len(paths))
	for _, path := range paths {
		place, err := o.place(path)
		if err != nil {
			return nil, err
		}
		places = append(places, place)
	}
	return places, nil
}

// installHook makes the folder that is first in the command's PYTHONPATH.
func installHook(s *followSettings) (folder string, err error) {
	if folder, err = os.MkdirTemp("", "neuraldbg-"); err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(folder)
		}
	}()
	s.Sums, s.Complaints = filepath.Join(folder, "sums"), filepath.Join(folder, "complaints")
	place, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return "", err
	}
	s.Exclude = append(s.Exclude, place) // it may be below what is included
	told, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	for name, text := range map[string]string{
		"sums":                  "",
		"complaints":            "",
		"sitecustomize.py":      sitecustomizeScript,
		"neuraldbg_recorder.py": tracerScript + traceFileScript + followScript + "\n\nSETTINGS = " + string(told) + "\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	return folder, nil
}

// followed is an environment in which Python processes find the hook.
func followed(env []string, hook string) []string {
	const name = "PYTHONPATH="
	path := hook
	kept := make([]string, 0, len(env)+1)
	for _, e := range env {
		if old, ok := strings.CutPrefix(e, name); !ok {
			kept = append(kept, e)
		} else if old != "" {
			path = hook + string(os.PathListSeparator) + old
		}
	}
	return append(kept, name+path)
}

// finishTraces ends the traces in a folder that their processes have not ended. The
// error is the first; the other traces are ended nevertheless.
func finishTraces(folder string) error {
	files, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("finishing the traces: %w", err)
	}
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), tailExtension); ok {
			_, failed := finishTrace(filepath.Join(folder, name))
			err = cmp.Or(err, failed)
		}
	}
	return err
}

// summarizeFolder says what the traces in a folder hold. Those without a record, whose
// processes were killed as they began, it removes.
func summarizeFolder(folder string) ([]TraceSummary, error) {
	paths, err := Traces(folder)
	if err != nil {
		return nil, nil // none were made
	}
	summaries := make([]TraceSummary, 0, len(paths))
	for _, path := range paths {
		summary, err := Summarize(path)
		switch {
		case errors.Is(err, errCutOff):
			err = os.Remove(path)
		case err == nil:
			summaries = append(summaries, TraceSummary{Path: path, Summary: summary})
		}
		if err != nil {
			return nil, err
		}
	}
	return summaries, nil
}
