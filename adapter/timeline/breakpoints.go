package timeline

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// Breakpoint is a line where Continue stops.
type Breakpoint struct {
	// ID is unique in its Breakpoints and never used twice. A line that is set
	// again keeps it.
	ID   int
	File string
	// Requested is the line that was asked for; Line is the executable line
	// that it was moved to, or Requested when the breakpoint is not verified.
	Requested int
	Line      int
	Verified  bool
	// Refusal is the request's.
	Refusal string
	// Message says why the breakpoint was moved or is not verified.
	Message string
}

// LineRequest asks for a breakpoint on a line.
type LineRequest struct {
	Line int
	// Refusal says why there can be none whatever the line, such as a condition
	// that nobody can check; empty when there can.
	Refusal string
}

// Snapped is the answer of a Snap: the executable line for a requested one.
type Snapped struct {
	Line    int
	Message string // why Line is not the requested one; empty when it is
}

// Snap finds the executable line for a requested line of a file. An error says
// why there is none.
type Snap func(line int) (Snapped, error)

// SnapTo returns the Snap of a parsed file, which is source.File.Snap.
func SnapTo(file *source.File) Snap {
	return func(line int) (Snapped, error) {
		snapped, ok, why := file.Snap(line)
		if !ok {
			return Snapped{}, errors.New(why)
		}
		return Snapped{Line: snapped, Message: why}, nil
	}
}

// FunctionBreakpoint stops at the calls of a function.
type FunctionBreakpoint struct {
	ID int
	FunctionRequest
}

// FunctionRequest asks for a breakpoint on a function.
type FunctionRequest struct {
	// Name is a function's qualified name, or the last part of it.
	Name string
	// Refusal is as in LineRequest.
	Refusal string
}

// Matches reports whether the breakpoint is for a function.
func (b FunctionBreakpoint) Matches(qualified string) bool {
	if b.Name == "" || b.Refusal != "" {
		return false
	}
	return qualified == b.Name || strings.HasSuffix(qualified, "."+b.Name)
}

// Breakpoints are the line and function breakpoints of a timeline. They may be set before
// the timeline exists, outlive it, and may be changed while it predicts. All
// methods may be called from any goroutine.
type Breakpoints struct {
	mu        sync.Mutex
	lastID    int
	files     map[string][]Breakpoint
	functions []FunctionBreakpoint
}

// NewBreakpoints returns an empty set.
func NewBreakpoints() *Breakpoints {
	return &Breakpoints{files: map[string][]Breakpoint{}}
}

// Set is SetRequests for breakpoints that only have a line.
func (b *Breakpoints) Set(file string, lines []int, snap Snap) []Breakpoint {
	requests := make([]LineRequest, len(lines))
	for i, line := range lines {
		requests[i].Line = line
	}
	return b.SetRequests(file, requests, snap)
}

// SetRequests replaces the breakpoints of a file, named as in the states' File.
// It returns one entry for each request, in the same order.
func (b *Breakpoints) SetRequests(file string, requests []LineRequest, snap Snap) []Breakpoint {
	b.mu.Lock()
	defer b.mu.Unlock()
	old := map[int][]int{} // ids by line
	for _, bp := range b.files[file] {
		old[bp.Requested] = append(old[bp.Requested], bp.ID)
	}
	set := make([]Breakpoint, len(requests))
	for i, r := range requests {
		bp := Breakpoint{File: file, Requested: r.Line, Line: r.Line, Refusal: r.Refusal, Message: r.Refusal}
		if snapped, err := snap(r.Line); err != nil {
			bp.Message = err.Error()
		} else if r.Refusal == "" {
			bp.Verified, bp.Line, bp.Message = true, snapped.Line, snapped.Message
		}
		bp.ID = takeID(old, r.Line, &b.lastID)
		set[i] = bp
	}
	b.files[file] = set
	return slices.Clone(set)
}

// SetFunctions replaces the breakpoints on functions. It returns one entry for
// each request, in the same order.
func (b *Breakpoints) SetFunctions(requests []FunctionRequest) []FunctionBreakpoint {
	b.mu.Lock()
	defer b.mu.Unlock()
	old := map[string][]int{} // ids by name
	for _, bp := range b.functions {
		old[bp.Name] = append(old[bp.Name], bp.ID)
	}
	set := make([]FunctionBreakpoint, len(requests))
	for i, r := range requests {
		set[i] = FunctionBreakpoint{ID: takeID(old, r.Name, &b.lastID), FunctionRequest: r}
	}
	b.functions = set
	return slices.Clone(set)
}

// takeID returns the first id that a breakpoint with a key had, and takes it
// away; a new one, when there is none.
func takeID[K comparable](old map[K][]int, key K, last *int) int {
	if ids := old[key]; len(ids) > 0 {
		old[key] = ids[1:]
		return ids[0]
	}
	*last++
	return *last
}

// All returns all breakpoints of a file.
func (b *Breakpoints) All(file string) []Breakpoint {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Breakpoint{}, b.files[file]...)
}

// Functions returns the breakpoints on functions.
func (b *Breakpoints) Functions() []FunctionBreakpoint {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.functions)
}

// hit returns the ids of the breakpoints that a state is at: those of its line
// for a line state; for a call state those of its function and of its def line,
// unless the function has a line state there too. A return is not a visit of its
// line.
func (b *Breakpoints) hit(s statetree.State, l *locator) []int {
	if !s.Event.StopsAtBreakpoint() {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var ids []int
	call := s.Event == statetree.Call
	for _, bp := range b.files[s.File] {
		if bp.Verified && bp.Line == s.Line && !(call && l.ownsPlace(s.Function, statetree.Origin{File: s.File, Line: s.Line})) {
			ids = append(ids, bp.ID)
		}
	}
	if call {
		for _, bp := range b.functions {
			if bp.Matches(s.Function) {
				ids = append(ids, bp.ID)
			}
		}
	}
	return ids
}

// reachable returns the source lines of the target's code at which a breakpoint
// can stop, each place once. Code that the entry cannot reach is not in it.
func (b *Breakpoints) reachable(t *Target) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var sources []string
	lines := t.Program.Lines()
	for i, origin := range t.Program.Origins {
		if i < len(lines) && origin.Line > 0 && b.wants(t, origin) {
			sources = append(sources, lines[i])
		}
	}
	return sources
}

// within reports whether a breakpoint can stop in a function's frames.
func (b *Breakpoints) within(l *locator, function string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for file, set := range b.files {
		for _, bp := range set {
			place := statetree.Origin{File: file, Line: bp.Line}
			if bp.Verified && (l.ownsPlace(function, place) || l.isDef(function, place)) {
				return true
			}
		}
	}
	return slices.ContainsFunc(b.functions, func(bp FunctionBreakpoint) bool { return bp.Matches(function) })
}

// wants reports whether there is a breakpoint at a place.
func (b *Breakpoints) wants(t *Target, place statetree.Origin) bool {
	for _, bp := range b.files[place.File] {
		if bp.Verified && bp.Line == place.Line {
			return true
		}
	}
	if len(b.functions) == 0 {
		return false
	}
	function, ok := t.definedAt(place)
	return ok && slices.ContainsFunc(b.functions, func(bp FunctionBreakpoint) bool { return bp.Matches(function) })
}
