package eval

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// mistakesMarkdown is what WriteMistakes writes.
func mistakesMarkdown(t *testing.T, answers []Answer) string {
	t.Helper()
	var b strings.Builder
	if err := WriteMistakes(&b, "double", answers); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRightPredictionsAreNoMistakes(t *testing.T) {
	answers := asked(t, 2, right)
	for _, a := range answers {
		if a.Mistake != nil {
			t.Errorf("%s: %+v", a.ID, *a.Mistake)
		}
	}
	if text := mistakesMarkdown(t, answers); strings.Contains(text, "## ") || !strings.HasSuffix(text, "\n\nThere are none to show.\n") {
		t.Errorf("without a mistake there are some:\n%s", text)
	}
}

func TestMistakesShowWhatWasGivenWantedAndGot(t *testing.T) {
	answers := asked(t, mistakesShown+2, func(p *model.Prediction) error {
		if p.State.Event == statetree.Line {
			p.State.Locals = p.State.Locals.Set("n", "7")
		}
		return nil
	})
	text := mistakesMarkdown(t, answers)
	for _, want := range []string{
		"## next-state, step_over, handmade\n\n7 of 7 are wrong.",
		"### `0/0/1`\n\n```text\n",
		"<|trace_context_start|>def count(s, t):\n    n = 0\n    return n\n",
		"<|line_sep|><|arg_sep|>{\"..\": \"..\"}<|src_sep|>    n = 0\n<|action_sep|><|step_over|>\n```\n\nRecorded:",
		"{\"..\": \"..\", \"n\": \"0\"}<|src_sep|>    return n",
		"Predicted with a confidence of 100.0 %:",
		"{\"..\": \"..\", \"n\": \"7\"}<|src_sep|>    return n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "/0/1`\n\n"); n != mistakesShown {
		t.Errorf("%d mistakes of step_over are shown, want %d", n, mistakesShown)
	}
	if strings.Contains(text, "step_return") || strings.Contains(text, "continue") {
		t.Errorf("right predictions are shown:\n%s", text)
	}
}

func TestMistakesWithoutPrediction(t *testing.T) {
	text := mistakesMarkdown(t, asked(t, 1, func(*model.Prediction) error { return errors.New("stuck") }))
	if !strings.Contains(text, "Nothing was predicted: `stuck`") {
		t.Errorf("got\n%s", text)
	}
	if text := mistakesMarkdown(t, asked(t, 1, func(*model.Prediction) error { return model.ErrContextFull })); strings.Contains(text, "## ") {
		t.Errorf("what was not asked is a mistake:\n%s", text)
	}
}

// TestMistakeInAProposedStart is about a context without a start: it is to be proposed.
func TestMistakeInAProposedStart(t *testing.T) {
	start := forward().Start
	m := newMistake(&Question{Context: model.Context{Program: counting}, Want: statetree.Outcome{State: start}}, &statetree.Outcome{})
	if !strings.HasSuffix(m.Given, "    return n\n\n") || !strings.Contains(m.Want, `{"s": "'berry'", "t": "'r'"}`) || m.Got != "" {
		t.Errorf("got %+v", *m)
	}
}

// TestMistakeOfWhatPassed: another input that gives the output is none.
func TestMistakeOfWhatPassed(t *testing.T) {
	for _, test := range []struct {
		answer Answer
		wrong  bool
	}{
		{Answer{Grades: Grades{Whole: true}}, false},
		{Answer{Grades: Grades{Whole: false}}, true},
		{Answer{Grades: Grades{Whole: false}, Passed: Yes}, false},
		{Answer{Grades: Grades{Whole: true}, Passed: No}, true},
		{Answer{Grades: Grades{Whole: true}, Passed: Unknown}, false},
		{Answer{TooLong: true}, false},
	} {
		if got := test.answer.wrong(); got != test.wrong {
			t.Errorf("%+v is wrong: %v", test.answer, got)
		}
	}
}

// TestMistakeOfText has backticks and what looks like HTML in the code, in the answer
// and in what a check says.
func TestMistakeOfText(t *testing.T) {
	a := Answer{
		Key: Key{Measure: Input, Data: "d", ID: "7"}, Action: statetree.InvStepCall, Passed: No,
		Reason:     "raises SyntaxError: invalid syntax (<string>, line 1)",
		Confidence: map[Component]float64{Whole: 0.5},
		Mistake:    &Mistake{Given: "s = '```'\n", Want: "'`'", Got: "'<b>'"},
	}
	want := "## input by inv_step_call, d\n\n1 of 1 are wrong.\n\n### `7`\n\n````text\ns = '```'\n````\n\nRecorded:\n\n````text\n'`'\n````\n\n" +
		"Predicted with a confidence of 50.0 %:\n\n````text\n'<b>'\n````\n\n" +
		"The check says: `raises SyntaxError: invalid syntax (<string>, line 1)`\n\n"
	if text := mistakesMarkdown(t, []Answer{a}); !strings.HasSuffix(text, want) {
		t.Errorf("got\n%s\nwant at the end\n%s", text, want)
	}
}

// TestLogKeepsMistakesReadable: JSON would allow to write < as \u003c.
func TestLogKeepsMistakesReadable(t *testing.T) {
	dir := t.TempDir()
	log, err := OpenLog(dir, "settings")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(log.add(Answer{Mistake: &Mistake{Given: "<|begin_of_text|>"}}), log.Close()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, answersFile))
	if err != nil || !strings.Contains(string(text), `"given":"<|begin_of_text|>"`) {
		t.Errorf("%v, the log is %s", err, text)
	}
}

func TestCodeSpan(t *testing.T) {
	for text, want := range map[string]string{
		"gives 1": "`gives 1`", "gives '`'": "`` gives '`' ``", "`": "`` ` ``", "a ``\nb": "``` a `` b ```",
	} {
		if got := codeSpan(text); got != want {
			t.Errorf("the span of %q is %q, want %q", text, got, want)
		}
	}
}
