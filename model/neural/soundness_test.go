package neural

import (
	"os/exec"
	"slices"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/dataset"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/corpus"
)

// tricky are programs whose control flow or names are hard to foresee.
var tricky = []corpus.Case{
	{Source: "def f(n):\n    if n < 2:\n        return n\n    return f(n - 1) + f(n - 2)\n", Entry: "f(4)"},
	{Source: "def numbers(n):\n    for i in range(n):\n        yield i\n        yield -i\n\ndef total(n):\n    t = 0\n    for x in numbers(n):\n        t += x\n    return t\n", Entry: "total(3)"},
	{Source: "def safe(a, b):\n    try:\n        r = a // b\n    except ZeroDivisionError as error:\n        r = str(error)\n    finally:\n        done = True\n    return r\n", Entry: "safe(1, 0)"},
	{Source: "def raises(a):\n    x = [a]\n    return x[a]\n\ndef outer(a):\n    y = raises(a)\n    return y\n", Entry: "outer(3)"},
	{Source: "def make(k):\n    total = 0\n    def add(n):\n        nonlocal total\n        total += n * k\n        return total\n    add(1)\n    add(2)\n    return add(3)\n", Entry: "make(5)"},
	{Source: "class Stack:\n    def __init__(self, *items, limit=3):\n        self.items = list(items)\n        self.limit = limit\n\n    def push(self, item):\n        self.items.append(item)\n        return len(self.items)\n\nclass Loud(Stack):\n    def push(self, item):\n        n = super().push(item.upper())\n        return n\n\ndef use(a):\n    s = Loud(a)\n    s.push('x')\n    return s.items\n", Entry: "use('q')"},
	{Source: "def g(words):\n    out = [w[0] for w in words if (last := w)]\n    key = lambda w: (len(w), w)\n    words = sorted(words, key=key)\n    return out, last, words\n", Entry: "g(['b', 'aa', 'c'])"},
	{Source: "def vanish(a):\n    b = a\n    del b\n    for a in range(2):\n        pass\n    with open('/dev/null') as handle:\n        text = handle.read()\n    return text\n", Entry: "vanish(1)"},
	{Source: "def same(a):\n    x = 1\n    x = 10\n    x = 1\n    while x < 3:\n        x += 1\n        if x == a:\n            continue\n        x += 1\n    return x\n", Entry: "same(2)"},
	{Source: "def m(command):\n    match command:\n        case [a, *rest] if rest:\n            r = a\n        case {'k': v, **other}:\n            r = v\n        case _:\n            r = None\n    return r\n", Entry: "m({'k': 1, 'j': 2})"},
	{Source: "def deco(fn):\n    def wrapper(*args, **kwargs):\n        return fn(*args, **kwargs)\n    return wrapper\n\n@deco\ndef target(a, *, b=2):\n    return a + b\n\ndef call():\n    return target(1)\n", Entry: "call()"},
	{Source: "def esc(s):\n    t = s + '\\n\\t\\x01\"\\\\é<|frame_sep|>'\n    return t\n", Entry: "esc('ü')"},
	{Source: "x = 1\nfor i in range(2):\n    x += i\ndef f(a):\n    return a\ny = f(x)\n"},
	{Source: "def loop(n):\n    while True:\n        n += 1\n        if n > 3:\n            break\n    else:\n        n = 0\n    return n\n", Entry: "loop(1)"},
	{Source: "def two(a):\n    return one(one(a)) + one(a)\n\ndef one(b):\n    return b + 1\n", Entry: "two(1)"},
}

// Whatever really happens in a program is allowed: a model that knows the run
// can write exactly the text that it would be trained on.
func TestRealRunsAreAllowed(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("needs python3 to record programs")
	}
	f := newFixture(t)
	generator := corpus.NewGenerator(5, corpus.DefaultStyle())
	cases := func(yield func(corpus.Case) bool) {
		for i, c := range tricky {
			c.Index = uint64(i)
			if !yield(c) {
				return
			}
		}
		for i := range uint64(20) {
			if !yield(generator.Case(i)) {
				return
			}
		}
	}
	p := dataset.DefaultParams()
	p.HeldOut, p.Trajectories = 1, 5
	programs, states := 0, 0
	for sampled, err := range dataset.Trajectories(t.Context(), cases, p, dataset.HeldOut) {
		if err != nil {
			t.Fatal(err)
		}
		programs++
		for i := range sampled.Trajectories {
			states += f.follow(&sampled.Trajectories[i])
		}
	}
	if programs < len(tricky)+12 || states < 400 {
		t.Errorf("only %d programs with %d states were recorded", programs, states)
	}
}

// follow predicts a trajectory with an engine that says it by heart, and returns
// the number of states.
func (f fixture) follow(t *statetree.Trajectory) (states int) {
	f.Helper()
	known := f.tokens(t)
	e := f.engine(func(history []int32) []float32 {
		logits := make([]float32, f.tokenizer.Size())
		if len(history) < len(known) {
			logits[known[len(history)]] = 50
		}
		return logits
	})
	e.context = len(known) + 200
	p, err := NewPredictor(e, f.tokenizer, Options{})
	if err != nil {
		f.Fatal(err)
	}
	defer p.Close()
	c := model.Context{Program: t.Program, Direction: t.Direction}
	if !t.ProposeStart {
		c.Start = t.Start
	}
	opened, _, err := p.Open(f.Context(), c)
	if err != nil {
		f.Errorf("%s\nopening at %+v: %v", t.Program.Code, t.Start, err)
		return 0
	}
	s := opened.(*session)
	for i := -1; i < len(t.Steps); i++ {
		var action statetree.Action
		if i >= 0 {
			action = t.Steps[i].Action
			if _, err := s.Predict(f.Context(), action); err != nil {
				f.Errorf("%s\nstep %d, %v from %+v: %v", t.Program.Code, i, action, s.last().outcome.State, err)
				return states
			}
		}
		n := len(s.sequence.ids)
		if n > len(known) || !slices.Equal(s.sequence.ids, known[:n]) {
			same := 0
			for same < min(n, len(known)) && s.sequence.ids[same] == known[same] {
				same++
			}
			f.Errorf("%s\n%v: the true text is not allowed:\n%s\ninstead: %s", t.Program.Code, action,
				f.tokenizer.Decode(known[s.last().from:min(same+8, len(known))]), f.tokenizer.Decode(s.sequence.ids[same:]))
			return states
		}
		if i >= 0 && !s.last().outcome.Ended() {
			got, want := s.last().outcome.State, t.Steps[i].Outcome.State
			if len(s.last().place.Lines) == 1 && (got.Function != want.Function || got.Line != want.Line) {
				f.Errorf("%s\n%v: %s:%d, truly %s:%d at %q", t.Program.Code, action, got.Function, got.Line, want.Function, want.Line, got.Source)
				return states
			}
		}
		states++
	}
	return states
}
