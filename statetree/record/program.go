package record

import (
	"fmt"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// prepare decides what runs for an entry as the user wrote it, and which code
// goes with the recording: the program, with its entry, and the driver's text.
// Its errors are one line.
func prepare(path string, text []byte, entry string) (statetree.Program, string, error) {
	file, err := source.Parse(path, text)
	if err != nil {
		return statetree.Program{}, "", &ProgramError{Reason: err.Error(), Err: err}
	}
	parsed, err := source.ParseEntry(entry, file)
	if err != nil {
		return statetree.Program{}, "", &ProgramError{Reason: err.Error(), Err: err}
	}
	if parsed.Kind == statetree.FunctionEntry {
		return statetree.Program{}, "", &ProgramError{
			Reason: fmt.Sprintf("entry %s: recording needs a call with arguments, such as %s(1)", entry, entry),
		}
	}
	program, err := source.Context(file, parsed)
	if err != nil {
		return statetree.Program{}, "", &ProgramError{Reason: err.Error(), Err: err}
	}
	return program, source.DriverSource(parsed), nil
}
