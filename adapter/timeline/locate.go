package timeline

import (
	"slices"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// locator finds out where the predicted states of a program are. Their text
// says the source line, which several lines may share; the control flow and the
// call stack tell those apart.
type locator struct {
	file    *source.File
	program statetree.Program
	lines   []string     // of the program's code
	flow    *source.Flow // nil when the code does not parse
	code    map[statetree.Origin]int
}

func newLocator(file *source.File, program statetree.Program) *locator {
	l := &locator{file: file, program: program, lines: program.Lines(), code: map[statetree.Origin]int{}}
	for i, origin := range program.Origins {
		l.code[origin] = i + 1
	}
	if flow, err := source.NewFlow(program); err == nil {
		l.flow = flow
	}
	return l
}

// locate fills in the place of state s, to which action a led from state from.
// frame is the frame that s must be in, nil when it may be any. A place that the
// predictor gave is kept, unless it is outside the frame and the frame's function
// has a line with the same text: a predictor that knows no stack may have chosen
// another one.
func (l *locator) locate(s *statetree.State, from *statetree.State, a statetree.Action, frame *Frame) {
	if s.Source == "" && s.Event == statetree.Call {
		l.locateModule(s)
		return
	}
	if s.Line == 0 || frame != nil && !frame.Assumed && !l.owns(frame.Function, *s) {
		if place, ok := l.choose(l.places(s, from, a, frame), from, frame); ok && (s.Line == 0 || l.ownsPlace(frame.Function, place)) {
			s.File, s.Line = place.File, place.Line
			s.Function = ""
		}
	}
	switch {
	case frame != nil && l.owns(frame.Function, *s):
		s.Function = frame.Function
	case s.Function == "" && s.Line != 0:
		s.Function = l.functionOf(*s)
	}
}

// locateModule fills in the place of the module's call, which has no line.
func (l *locator) locateModule(s *statetree.State) {
	if s.Function == "" {
		s.Function = statetree.ModuleFunction
	}
	if s.File == "" && l.file != nil {
		s.File = l.file.Path()
	}
}

// places returns where the state may be: at the lines with its text that the
// control flow allows, or, when it allows none, at all lines with its text.
func (l *locator) places(s, from *statetree.State, a statetree.Action, frame *Frame) []statetree.Origin {
	var lines []int
	if l.flow != nil {
		lines = l.targets(s, from, a, frame)
	}
	if len(lines) == 0 {
		for i, text := range l.lines {
			if text == s.Source {
				lines = append(lines, i+1)
			}
		}
	}
	var places []statetree.Origin
	for _, line := range lines {
		if line >= 1 && line <= len(l.program.Origins) && l.program.Origins[line-1].Line > 0 {
			places = append(places, l.program.Origins[line-1])
		}
	}
	return places
}

// targets returns the code lines at which the control flow has the state.
func (l *locator) targets(s, from *statetree.State, a statetree.Action, frame *Frame) []int {
	if from == nil {
		return l.flow.Locate(s.Event, s.Source).Lines
	}
	if a.Kind == statetree.Breakpoint {
		return linesOf(l.flow.BreakpointTargets(a.Source), s)
	}
	lines := linesOf(l.flow.Targets(a.Kind, l.position(from)), s)
	if frame == nil || from.Event != statetree.Return {
		return lines
	}
	// Back in the caller: what follows the line that it is at.
	caller := statetree.State{Event: statetree.Line, File: frame.File, Line: frame.Line, Source: frame.Source}
	after := linesOf(l.flow.Targets(statetree.StepOver, l.position(&caller)), s)
	both := slices.DeleteFunc(slices.Clone(lines), func(line int) bool { return !slices.Contains(after, line) })
	if len(both) > 0 {
		return both
	}
	return lines
}

// position returns a state's position for the flow.
func (l *locator) position(s *statetree.State) source.Position {
	if line, ok := l.code[statetree.Origin{File: s.File, Line: s.Line}]; ok && s.Line > 0 {
		return source.Position{Event: s.Event, Lines: []int{line}}
	}
	return l.flow.Locate(s.Event, s.Source)
}

// linesOf returns the lines of the candidates with the state's event and text.
func linesOf(t source.Targets, s *statetree.State) []int {
	var lines []int
	for _, c := range t.Candidates {
		if shown(statetree.State{Event: c.Event}).Event == s.Event && c.Source == s.Source {
			lines = append(lines, c.Line)
		}
	}
	return lines
}

// choose picks the likeliest of several places: one in the frame, and of those
// the first after the current line.
func (l *locator) choose(places []statetree.Origin, from *statetree.State, frame *Frame) (best statetree.Origin, ok bool) {
	bestScore := -1
	for _, p := range places {
		score := 0
		if frame != nil && l.ownsPlace(frame.Function, p) {
			score += 2
		}
		if from != nil && p.File == from.File && p.Line > from.Line {
			score++
		}
		if score > bestScore {
			best, bestScore = p, score
		}
	}
	return best, bestScore >= 0
}

// owns reports whether a state can be one of a function's frames.
func (l *locator) owns(function string, s statetree.State) bool {
	if s.Function == function {
		return true
	}
	return s.Line != 0 && l.ownsPlace(function, statetree.Origin{File: s.File, Line: s.Line})
}

// ownsPlace reports whether a function has line events at a place.
func (l *locator) ownsPlace(function string, p statetree.Origin) bool {
	if p.File == statetree.DriverFile || l.file == nil {
		return p.File == statetree.DriverFile && function == l.program.Entry.Driver
	}
	for f := range l.file.Functions() {
		if f.QualifiedName == function && f.Executable(p.Line) {
			return true
		}
	}
	return false
}

// functionOf returns the qualified name of the code object that a state is in.
func (l *locator) functionOf(s statetree.State) string {
	if s.File == statetree.DriverFile {
		return l.program.Entry.Driver
	}
	if l.file == nil {
		return ""
	}
	if s.Event == statetree.Call {
		for f := range l.file.Functions() {
			if f.Line == s.Line {
				return f.QualifiedName
			}
		}
	}
	f := l.file.FunctionAt(s.Line)
	for f.Parent != nil && !f.Executable(s.Line) {
		f = f.Parent // a def line runs in the code around it
	}
	return f.QualifiedName
}

// isDef reports whether a place is the def line of a function.
func (l *locator) isDef(function string, p statetree.Origin) bool {
	if p.File == statetree.DriverFile || l.file == nil {
		return p.File == statetree.DriverFile && p.Line == 1 && function == l.program.Entry.Driver
	}
	for f := range l.file.Functions() {
		if f.QualifiedName == function && f.Line == p.Line {
			return true
		}
	}
	return false
}
