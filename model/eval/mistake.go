package eval

import (
	"fmt"
	"io"
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// Mistake is a wrong prediction as text of the grammar, written as grammar.Display
// writes it.
type Mistake struct {
	// Given is what the predictor was given: the code, the states so far and, last,
	// the action.
	Given string `json:"given"`
	// Want is the recorded outcome, Got the predicted one; "" where there is none.
	Want string `json:"want"`
	Got  string `json:"got"`
}

// wrong reports whether the answer counts as wrong. What a check has passed is
// right, though it be another state than the recorded one.
func (a *Answer) wrong() bool {
	if a.TooLong || a.Passed == Yes {
		return false
	}
	return a.Passed == No || !a.Grades[Whole]
}

// newMistake shows what was asked, and what was predicted; an outcome that is nothing
// says that no prediction was made.
func newMistake(q *Question, got *statetree.Outcome) *Mistake {
	var w grammar.Writer
	given := grammar.AppendBegin(nil, q.Context.Program.Code)
	if q.Context.Start.Event != statetree.NoEvent { // without one, it is to be proposed
		given = w.AppendStart(given, &q.Context.Start, false)
	}
	for i := range q.Context.History {
		step := &q.Context.History[i]
		given = w.AppendOutcome(w.AppendAction(given, step.Action), &step.Outcome)
	}
	m := Mistake{Given: grammar.Display(w.AppendAction(given, q.Action))}
	asked := w // both outcomes follow the same history
	m.Want = displayOutcome(asked, &q.Want)
	if got.Ended() || got.State.Event != statetree.NoEvent {
		m.Got = displayOutcome(asked, got)
	}
	return &m
}

// displayOutcome takes the writer as it is after the action, by value.
func displayOutcome(w grammar.Writer, o *statetree.Outcome) string {
	return strings.TrimSpace(grammar.Display(w.AppendOutcome(nil, o)))
}

// mistakesShown is how many mistakes WriteMistakes shows of each action.
const mistakesShown = 5

// WriteMistakes writes examples of the mistakes as Markdown: for each set, measure
// and action the first few, with what the predictor was given. Questions come in an
// order that has nothing to do with the answers, so these are as good as drawn.
func WriteMistakes(w io.Writer, predictor string, answers []Answer) error {
	var b strings.Builder
	for _, g := range grouped(sorted(answers)) {
		for _, kind := range AllActions {
			writeMistakes(&b, &g, kind)
		}
	}
	text := b.String()
	if text == "" {
		text = "There are none to show.\n"
	}
	_, err := fmt.Fprintf(w, "# Mistakes of %s\n\n"+
		"Up to %d of each kind, as text of the grammar; `%s` has all of them. What a check passes is none, such as other inputs that give the output.\n\n%s",
		predictor, mistakesShown, answersFile, text)
	return err
}

// writeMistakes writes those of one action.
func writeMistakes(b *strings.Builder, g *group, kind statetree.ActionKind) {
	asked, wrong := 0, 0
	var shown []*Answer
	for i := range g.answers {
		a := &g.answers[i]
		if a.Action != kind || a.Sample > 0 || a.TooLong {
			continue
		}
		asked++
		if !a.wrong() {
			continue
		}
		wrong++
		if a.Mistake != nil && len(shown) < mistakesShown {
			shown = append(shown, a)
		}
	}
	if len(shown) == 0 {
		return
	}
	what := measureTitles[g.measure]
	if what == "" {
		what = fmt.Sprintf("%s, %v", g.measure, kind)
	}
	b.WriteString(heading(what, g.data, g.unconstrained))
	fmt.Fprintf(b, "%d of %d are wrong.\n\n", wrong, asked)
	for _, a := range shown {
		a.Mistake.markdown(b, a)
	}
}

func (m *Mistake) markdown(b *strings.Builder, a *Answer) {
	fmt.Fprintf(b, "### %s\n\n", codeSpan(a.ID))
	fence := backticks(3, m.Given+m.Want+m.Got)
	fmt.Fprintf(b, "%stext\n%s%s\n\n", fence, m.Given, fence)
	fmt.Fprintf(b, "Recorded:\n\n%stext\n%s\n%s\n\n", fence, m.Want, fence)
	if m.Got == "" {
		fmt.Fprintf(b, "Nothing was predicted: %s\n\n", codeSpan(a.Error))
		return
	}
	fmt.Fprintf(b, "Predicted with a confidence of %.1f %%:\n\n%stext\n%s\n%s\n\n", 100*a.Confidence[Whole], fence, m.Got, fence)
	if a.Reason != "" {
		fmt.Fprintf(b, "The check says: %s\n\n", codeSpan(a.Reason))
	}
}

// backticks returns at least so many, and more than the text has in a row: what
// delimits code in Markdown.
func backticks(least int, text string) string {
	ticks := strings.Repeat("`", least)
	for strings.Contains(text, ticks) {
		ticks += "`"
	}
	return ticks
}

// codeSpan writes text that is of values and Python's messages, so that Markdown leaves
// it alone.
func codeSpan(text string) string {
	ticks := backticks(1, text)
	if len(ticks) > 1 { // one space is taken off at both ends
		text = " " + text + " "
	}
	return ticks + strings.ReplaceAll(text, "\n", " ") + ticks
}
