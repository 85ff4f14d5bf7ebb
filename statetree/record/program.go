package record

import (
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// showProgram decides which code goes with a recording. It is the one place
// where the recorder meets the rule for CODE.
func showProgram(source, path string, entry statetree.Entry) (statetree.Program, error) {
	program := statetree.Program{Entry: entry}
	lines := strings.Split(strings.TrimRight(source, "\n"), "\n")
	for i := range lines {
		program.Origins = append(program.Origins, statetree.Origin{File: path, Line: i + 1})
	}
	if entry.Driver != "" {
		lines = append(lines, "", "def "+entry.Driver+"():", "    return "+entry.Text)
		program.Origins = append(program.Origins, statetree.Origin{},
			statetree.Origin{File: statetree.DriverFile, Line: 1},
			statetree.Origin{File: statetree.DriverFile, Line: 2})
	}
	program.Code = strings.Join(lines, "\n") + "\n"
	return program, nil
}
