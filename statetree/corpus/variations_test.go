package corpus

import (
	"context"
	"reflect"
	"strings"
	"testing"
)

func scanned(t *testing.T, files map[string]string) *Tree {
	t.Helper()
	tree, err := ScanTree(context.Background(), writeFiles(t, files), "")
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestVary(t *testing.T) {
	files := map[string]string{"texts.py": `def cut(text, at, marks):
    """
    >>> cut("abc", 2, {"a": [1.5]})
    >>> cut("long text", 4, {})
    >>> none()
    """

def none():
    pass

def last(items):
    """
    >>> last([1, 2])
    """
`}
	tree := scanned(t, files)
	before := tree.entries
	if err := tree.Vary(context.Background(), 5, ""); err != nil {
		t.Fatal(err)
	}
	var given []treeEntry
	calls := map[string]bool{}
	ofCut := 0
	for _, e := range tree.entries {
		if calls[e.Call] {
			t.Errorf("%s comes twice", e.Call)
		}
		calls[e.Call] = true
		for _, b := range before {
			if e == b {
				given = append(given, e)
			}
		}
		if strings.HasPrefix(e.Call, "cut(") {
			ofCut++
			if e.Function != "cut" || !strings.HasPrefix(e.Call, "cut('") || !strings.HasSuffix(e.Call, "})") {
				t.Errorf("%s of %s, want a text, a number and a dict", e.Call, e.Function)
			}
		}
	}
	if !reflect.DeepEqual(given, before) {
		t.Errorf("the calls that were found are %v, were %v", given, before)
	}
	// Those of cut have enough arguments for all; none() has nothing to vary.
	if ofCut != 12 || len(tree.entries) <= 16 || len(tree.entries) > 4+15 {
		t.Errorf("there are %d calls, %d of them of cut: %v", len(tree.entries), ofCut, calls)
	}
	if p := tree.Provenance(); p.Entries != len(tree.entries) || !strings.HasSuffix(p.Name, ", varied 5 times") {
		t.Errorf("its provenance is %+v", p)
	}
	again := scanned(t, files)
	if err := again.Vary(context.Background(), 5, ""); err != nil {
		t.Fatal(err)
	}
	for i := range again.entries {
		if again.entries[i].Call != tree.entries[i].Call {
			t.Fatalf("call %d is %s the second time, was %s", i, again.entries[i].Call, tree.entries[i].Call)
		}
	}
}

func TestVaryRefusesWhatIsNoVariation(t *testing.T) {
	tree := scanned(t, shop)
	for _, output := range []string{"{", `{"entry": 1000, "call": "f()"}`, `{"entry": -2, "call": "f()"}`} {
		if err := tree.addVariations([]byte(output), 1); err == nil {
			t.Errorf("no error from %q", output)
		}
	}
	if err := tree.Vary(context.Background(), 1, "no-such-python"); err == nil || !strings.Contains(err.Error(), "no-such-python") {
		t.Errorf("a Python that is not there: %v", err)
	}
}
