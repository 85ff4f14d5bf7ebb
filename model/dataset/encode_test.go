package dataset

import (
	"slices"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// bytesTokenizer has one token a byte, and the grammar's special tokens.
func bytesTokenizer(t testing.TB) *tokenizer.Tokenizer {
	t.Helper()
	var specials []string
	for _, s := range grammar.Specials() {
		specials = append(specials, s.String())
	}
	tok, err := tokenizer.Train(slices.Values([]string{}), 256+len(specials), specials)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func newEncoder(t testing.TB) *Encoder {
	t.Helper()
	e, err := NewEncoder(bytesTokenizer(t))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// berry is the beginning of figure C.1 of the paper, then a jump to the end.
func berry() statetree.Trajectory {
	count := statetree.Locals{{Name: "s", Repr: "'berry'"}, {Name: "t", Repr: "'r'"}}
	return statetree.Trajectory{
		Program: statetree.Program{Code: "def count(s, t):\n    n = 0\n"},
		Start:   statetree.State{Event: statetree.Call, Source: "def count(s, t):", Locals: count},
		Steps: []statetree.Step{
			{
				Action:  statetree.Action{Kind: statetree.StepInto},
				Outcome: statetree.Outcome{State: statetree.State{Event: statetree.Line, Source: "    n = 0", Locals: count}},
			},
			{
				Action:  statetree.Action{Kind: statetree.Breakpoint, Source: "    return n"},
				Outcome: statetree.Outcome{State: statetree.State{Event: statetree.Line, Source: "    return n", Locals: count.Set("n", "2")}},
			},
			{
				Action:  statetree.Action{Kind: statetree.Continue},
				Outcome: statetree.Outcome{Exit: statetree.ExitNormal},
			},
		},
	}
}

// marked spells a sequence out, with what is predicted in braces.
func marked(tok *tokenizer.Tokenizer, s *Sequence) string {
	var b strings.Builder
	in := false
	for i, id := range s.InputIDs {
		if s.LossMask[i] != in {
			in = !in
			b.WriteString(map[bool]string{true: "⟦", false: "⟧"}[in])
		}
		token, _ := tok.Token(id)
		b.Write(token)
	}
	if in {
		b.WriteString("⟧")
	}
	return b.String()
}

const (
	berryGiven = `<|begin_of_text|><|trace_context_start|>def count(s, t):
    n = 0
<|frame_sep|><|call_sep|><|src_sep|>def count(s, t):<|arg_sep|>{"s": "'berry'", "t": "'r'"}<|action_sep|>`
	berryLine  = `<|step_into|>⟦<|frame_sep|><|line_sep|><|arg_sep|>{"..": ".."}<|src_sep|>    n = 0<|action_sep|>⟧`
	berryBreak = `<|breakpoint|>    return n⟦<|frame_sep|><|line_sep|><|arg_sep|>{"s": "'berry'", "t": "'r'", "n": "2"}<|src_sep|>    return n<|action_sep|>⟧`
	berryEnd   = `<|continue|>⟦<|frame_sep|><|exit_normal|><|trace_end|><|end_of_text|>⟧`
)

func TestEncode(t *testing.T) {
	e := newEncoder(t)
	proposed := berry()
	proposed.ProposeStart = true
	given, start, _ := strings.Cut(berryGiven, "<|frame_sep|>")
	for _, test := range []struct {
		name       string
		trajectory statetree.Trajectory
		maxTokens  int
		want       string
		actions    []string
		truncated  bool
	}{
		{"whole", berry(), 1000, berryGiven + berryLine + berryBreak + berryEnd, []string{"step_into", "breakpoint", "continue"}, false},
		{"proposed start", proposed, 1000, given + "⟦<|frame_sep|>" + start + "⟧" + berryLine + berryBreak + berryEnd, []string{"step_into", "breakpoint", "continue"}, false},
		{"cut behind a state", berry(), 130, berryGiven + berryLine, []string{"step_into"}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, ok := e.Encode(&test.trajectory, test.maxTokens)
			if got := marked(e.tok, &s); !ok || got != test.want {
				t.Errorf("%v, got\n%s\nwant\n%s", ok, got, test.want)
			}
			if !slices.Equal(s.Actions, test.actions) || s.Truncated != test.truncated || s.Direction != "forward" {
				t.Errorf("actions %v, truncated %v, direction %s", s.Actions, s.Truncated, s.Direction)
			}
			if text := e.tok.Decode(s.InputIDs); text != s.Text {
				t.Errorf("the ids are\n%s\nthe text is\n%s", text, s.Text)
			}
			if len(s.InputIDs) > test.maxTokens {
				t.Errorf("%d tokens, at most %d were asked for", len(s.InputIDs), test.maxTokens)
			}
		})
	}
	for _, maxTokens := range []int{10, 85} {
		long := berry()
		if s, ok := e.Encode(&long, maxTokens); ok {
			t.Errorf("%d tokens hold a predicted state: %s", maxTokens, s.Text)
		}
	}
}

func TestProgramTextIsNoStructure(t *testing.T) {
	e := newEncoder(t)
	trajectory := berry()
	trajectory.Program.Code = "x = '<|end_of_text|>'\n"
	s, _ := e.Encode(&trajectory, 1000)
	end, _ := e.tok.Special("<|end_of_text|>")
	if n := slices.Index(s.InputIDs, end); n != len(s.InputIDs)-1 {
		t.Errorf("the program's text became the special token %d at %d", end, n)
	}
}

func TestNewEncoderNeedsTheGrammar(t *testing.T) {
	tok, err := tokenizer.Train(slices.Values([]string{}), 257, []string{"<|frame_sep|>"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewEncoder(tok); err == nil || !strings.Contains(err.Error(), "<|begin_of_text|>") {
		t.Errorf("a tokenizer without special tokens: %v", err)
	}
}
