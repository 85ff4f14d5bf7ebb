package timeline

import "github.com/neuraldbg/neuraldbg/statetree"

// Listener hears what happens during a movement, in the goroutine that moves. A
// function that is nil hears nothing.
type Listener struct {
	// Log is called with the message of a log point, without a line end, and its
	// place.
	Log func(message string, at statetree.Origin)
	// Output is called with what a print that was passed would have written, and
	// its place.
	Output func(text string, at statetree.Origin)
	// Note is called with a line that the user should know: why a movement ends
	// where it does, or that it dropped states.
	Note func(text string)
	// Progress is called as a Continue steps: after how many predictions, of how
	// many at most.
	Progress func(steps, most int)
}

func (l *Listener) log(message string, at *statetree.State) {
	if l.Log != nil {
		l.Log(message, statetree.Origin{File: at.File, Line: at.Line})
	}
}

func (l *Listener) output(text string, at *statetree.State) {
	if l.Output != nil {
		l.Output(text, statetree.Origin{File: at.File, Line: at.Line})
	}
}

func (l *Listener) note(text string) {
	if l.Note != nil {
		l.Note(text)
	}
}

func (l *Listener) progress(steps, most int) {
	if l.Progress != nil {
		l.Progress(steps, most)
	}
}
