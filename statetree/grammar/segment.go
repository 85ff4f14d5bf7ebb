package grammar

import "strings"

// Segment is a piece of a text: one special token, or a run of plain text when
// Special is NoSpecial. Plain text is valid UTF-8.
type Segment struct {
	Special Special
	// Predicted says that the segment is part of what a model predicts, and so
	// of the loss: the states after the start with the action_sep that ends
	// them, and the exit with its end of text. Code and actions are given.
	Predicted bool
	Text      string
}

// Display writes segments for people: the code as it is, then a blank line, then
// each state and each action on a line of its own. The real text has no line
// ends between them.
func Display(segments []Segment) string {
	var b strings.Builder
	for _, s := range segments {
		if s.Special == FrameSep || s.Special == ActionSep {
			b.WriteByte('\n')
		}
		b.WriteString(s.Special.String())
		b.WriteString(s.Text)
	}
	b.WriteByte('\n')
	return b.String()
}
