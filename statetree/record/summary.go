package record

import (
	"errors"
	"fmt"
	"io"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// Summary is what is to be said of a trace without its states.
type Summary struct {
	// States is their number, Shortened that of the reprs that were cut.
	States, Shortened int
	// Exit and Cut are as in statetree.Recording.
	Exit statetree.Exit
	Cut  string
	// ExitCode is as in Result; Summarize does not know it.
	ExitCode int
}

// Summarize reads a trace file through.
func Summarize(path string) (Summary, error) {
	r, err := OpenReader(path)
	if err != nil {
		return Summary{}, err
	}
	defer r.Close()
	for {
		_, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Summary{}, fmt.Errorf("reading the trace %s: %w", path, err)
		}
	}
	if len(r.decoder.files) == 0 {
		return Summary{}, fmt.Errorf("reading the trace %s: %w", path, errCutOff)
	}
	s := Summary{States: r.decoder.states, Shortened: r.decoder.shortened}
	s.Exit, s.Cut = r.End()
	return s, nil
}
