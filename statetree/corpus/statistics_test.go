package corpus

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// statistics counts recorded cases.
type statistics struct {
	// Cases is how many came, Dropped how many of them were not kept, and why.
	Cases   int
	Dropped map[Reason]int
	// Exits counts the kept recordings by their end.
	Exits map[statetree.Exit]int
	// Events counts the states of the kept recordings, Exceptions those
	// recordings in which an exception was raised.
	Events     map[statetree.Event]int
	Exceptions int
	// Lines counts the lines of the kept programs, Helpers those in which the
	// entry's function called another one, Modules those run as a module.
	Lines, Helpers, Modules int
	// Chains counts those in which three functions or more ran, Classes those
	// with a method of a class, TextLoops those with a loop whose variable is a
	// letter.
	Chains, Classes, TextLoops int
}

// add counts one case.
func (s *statistics) add(r Recorded) {
	if s.Dropped == nil {
		s.Dropped, s.Exits, s.Events = map[Reason]int{}, map[statetree.Exit]int{}, map[statetree.Event]int{}
	}
	s.Cases++
	if r.Dropped != Kept {
		s.Dropped[r.Dropped]++
		return
	}
	s.Exits[r.Recording.Exit]++
	s.Lines += strings.Count(r.Case.Source, "\n")
	functions := map[string]bool{}
	raised := false
	for i := range r.Recording.States {
		state := &r.Recording.States[i]
		s.Events[state.Event]++
		raised = raised || state.Event == statetree.Exception
		if state.Event == statetree.Call && state.File != statetree.DriverFile && state.Function != statetree.ModuleFunction {
			functions[state.Function] = true
		}
	}
	if len(functions) > 2 {
		s.Chains++
	}
	if strings.Contains(r.Case.Source, "class ") {
		s.Classes++
	}
	if letterLoop.MatchString(r.Case.Source) {
		s.TextLoops++
	}
	if raised {
		s.Exceptions++
	}
	if len(functions) > 1 {
		s.Helpers++
	}
	if r.Case.Entry == "" {
		s.Modules++
	}
}

// letterLoop is a loop over a string, by the names that its variable has.
var letterLoop = regexp.MustCompile(`for (\w+, )?(c|ch|char|letter) in `)

// kept is how many cases have a recording.
func (s *statistics) kept() int {
	kept := s.Cases
	for _, n := range s.Dropped {
		kept -= n
	}
	return kept
}

// String writes the statistics for people, one thing a line.
func (s *statistics) String() string {
	var b strings.Builder
	kept := max(1, s.kept())
	share := func(n int) string { return fmt.Sprintf("%d (%.1f %%)", n, 100*float64(n)/float64(kept)) }
	fmt.Fprintf(&b, "cases       %d\n", s.Cases)
	fmt.Fprintf(&b, "kept        %d\n", s.kept())
	for _, reason := range slices.Sorted(maps.Keys(s.Dropped)) {
		fmt.Fprintf(&b, "dropped     %d: %s\n", s.Dropped[reason], reason)
	}
	for _, exit := range slices.Sorted(maps.Keys(s.Exits)) {
		fmt.Fprintf(&b, "exit %-6s %s\n", exit, share(s.Exits[exit]))
	}
	total := 0
	for _, event := range slices.Sorted(maps.Keys(s.Events)) {
		fmt.Fprintf(&b, "%-11s %d\n", event, s.Events[event])
		total += s.Events[event]
	}
	fmt.Fprintf(&b, "events      %d, mean %.1f\n", total, float64(total)/float64(kept))
	fmt.Fprintf(&b, "mean lines  %.1f\n", float64(s.Lines)/float64(kept))
	fmt.Fprintf(&b, "exceptions  %s\n", share(s.Exceptions))
	fmt.Fprintf(&b, "helpers     %s\n", share(s.Helpers))
	fmt.Fprintf(&b, "chains      %s\n", share(s.Chains))
	fmt.Fprintf(&b, "classes     %s\n", share(s.Classes))
	fmt.Fprintf(&b, "text loops  %s\n", share(s.TextLoops))
	fmt.Fprintf(&b, "modules     %s\n", share(s.Modules))
	return b.String()
}
