package dataset

import "testing"

func TestKey(t *testing.T) {
	base := Key("def f(x):\n    return x\n")
	for _, same := range []string{
		"def f(x):\r\n    return x", "\n\ndef f(x):  \n\n    return x\n\n", "# note\ndef f(x):\n    # note\n    return x\n",
	} {
		if Key(same) != base {
			t.Errorf("%q has another key", same)
		}
	}
	for _, other := range []string{"def f(x):\n  return x\n", "def f(y):\n    return y\n", ""} {
		if Key(other) == base {
			t.Errorf("%q has the same key", other)
		}
	}
}

func TestSplitOf(t *testing.T) {
	held := 0
	for i := range uint64(10000) {
		if SplitOf(i*0x9E3779B97F4A7C15, .05) == HeldOut {
			held++
		}
	}
	if held < 450 || held > 550 {
		t.Errorf("%d of 10000 are held out, want about 500", held)
	}
	if SplitOf(0, 0) != Train {
		t.Error("a share of 0 holds something out")
	}
}
