package timeline

import (
	"sync"

	"github.com/neuraldbg/neuraldbg/statetree"
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
	// Message says why the breakpoint was moved or is not verified.
	Message string
}

// Snapped is the answer of a Snap: the executable line for a requested one.
type Snapped struct {
	Line    int
	Message string // why Line is not the requested one; empty when it is
}

// Snap finds the executable line for a requested line of a file. An error says
// why there is none.
type Snap func(line int) (Snapped, error)

// Breakpoints are the line breakpoints of a timeline. They may be set before
// the timeline exists, outlive it, and may be changed while it predicts. All
// methods may be called from any goroutine.
type Breakpoints struct {
	mu     sync.Mutex
	lastID int
	files  map[string][]Breakpoint
}

// NewBreakpoints returns an empty set.
func NewBreakpoints() *Breakpoints {
	return &Breakpoints{files: map[string][]Breakpoint{}}
}

// Set replaces the breakpoints of a file, named as in the states' File. It
// returns one entry for each line, in the same order.
func (b *Breakpoints) Set(file string, lines []int, snap Snap) []Breakpoint {
	b.mu.Lock()
	defer b.mu.Unlock()
	old := b.files[file]
	set := make([]Breakpoint, 0, len(lines))
	for _, line := range lines {
		bp := Breakpoint{File: file, Requested: line, Line: line}
		if snapped, err := snap(line); err != nil {
			bp.Message = err.Error()
		} else {
			bp.Verified, bp.Line, bp.Message = true, snapped.Line, snapped.Message
		}
		bp.ID = takeID(&old, line)
		if bp.ID == 0 {
			b.lastID++
			bp.ID = b.lastID
		}
		set = append(set, bp)
	}
	b.files[file] = set
	return append([]Breakpoint{}, set...)
}

// takeID removes the breakpoint that was set for a line and returns its id, or
// 0 when there is none.
func takeID(old *[]Breakpoint, requested int) int {
	for i, bp := range *old {
		if bp.Requested == requested {
			*old = append((*old)[:i:i], (*old)[i+1:]...)
			return bp.ID
		}
	}
	return 0
}

// All returns all breakpoints of a file.
func (b *Breakpoints) All(file string) []Breakpoint {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Breakpoint{}, b.files[file]...)
}

// hit returns the ids of the breakpoints that a state is at. Line states are
// hits, and call states of a function whose def line has a breakpoint; a return
// is not a visit of its line.
func (b *Breakpoints) hit(s statetree.State) []int {
	if s.Event != statetree.Line && s.Event != statetree.Call || s.Line == 0 {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var ids []int
	for _, bp := range b.files[s.File] {
		if bp.Verified && bp.Line == s.Line {
			ids = append(ids, bp.ID)
		}
	}
	return ids
}

// reachable returns the source lines with a breakpoint that the program's code
// contains, each place once. Code that the entry cannot reach is not in it.
func (b *Breakpoints) reachable(p statetree.Program) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var sources []string
	lines := p.Lines()
	for i, origin := range p.Origins {
		for _, bp := range b.files[origin.File] {
			if bp.Verified && bp.Line == origin.Line && i < len(lines) {
				sources = append(sources, lines[i])
				break
			}
		}
	}
	return sources
}
