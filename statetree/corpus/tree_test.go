package corpus

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// writeFiles makes a tree of files and returns its folder.
func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// shop is an installed package with its tests.
var shop = map[string]string{
	"shop/__init__.py": "from .cart import total\n",
	"shop/tax.py":      "RATE = 2\n",
	"shop/cart.py": `from .tax import RATE

def total(prices, extra=0):
    """
    >>> total([1, 2])
    6
    >>> total([1], extra=3)
    5
    >>> items = [4]
    >>> total(items)
    8
    >>> max([1], [2])
    [2]
    """
    return sum(prices) * RATE + extra

def save(text):
    """
    >>> save('receipt')
    """
    with open('/tmp/neuraldbg-corpus-test', 'w') as f:
        f.write(text)
`,
	"shop/stock.py": `class Shelf:
    """
    >>> Shelf([3, 4]).count()
    2
    >>> shelf = Shelf([5])
    >>> shelf.add(6)
    >>> shelf = sorted([shelf])
    >>> shelf.count()
    """
    def __init__(self, items):
        self.items = list(items)
    def count(self):
        return len(self.items)
    def add(self, item):
        self.items.append(item)
    @classmethod
    def full(cls, n):
        return cls(range(n))

class Box(Shelf):
    @staticmethod
    def volume(a, b):
        return a * b

class Nothing:
    pass
`,
	"tests/test_stock.py": `from shop import stock
from shop.stock import Box, Nothing, Shelf as S

def test_box():
    box = Box(items=[1])
    assert box.count() == 1
    if box:
        assert Box.volume(2, 3) == 6
    assert S.full(2).items and stock.Shelf([9]).count() == 1
    assert S.count(7) and S([len('a')]).count() and Nothing()
    for box in []:
        pass
    assert box.count()
`,
	"tests/test_cart.py": `import unittest
import shop
from shop import total as t
from shop.cart import save

def test_total():
    assert t([5]) == 10
    assert t([1, 2]) == 6
    assert shop.total([7]) == 14

class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(t([8], 1), 17)
`,
	"broken.py":                           "def f(:\n",
	"shop-1.5.dist-info/RECORD":           "shop/__init__.py,,\n",
	"shop-1.5.dist-info/METADATA":         "Name: shop\nVersion: 1.5\nLicense-Expression: MIT\n\nLicense: not this\n",
	"shop-1.5.dist-info/licenses/LICENSE": "Permission is granted\n",
	"LICENSE.txt":                         "\nThe Shop Licence\nand so on\n",
}

func TestScanTree(t *testing.T) {
	dir := writeFiles(t, shop)
	tree, err := ScanTree(context.Background(), dir, "")
	if err != nil {
		t.Fatal(err)
	}
	var calls []string
	for c, err := range tree.Range(0, tree.Len()) {
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, c.Path+": "+c.Entry)
		if path := strings.ReplaceAll(c.Module, ".", "/") + ".py"; c.Path != path || c.Source != shop[path] {
			t.Errorf("%s is in the module %s", c.Entry, c.Module)
		}
	}
	want := []string{
		"shop/cart.py: total([1, 2])", "shop/cart.py: total([1], extra=3)", "shop/cart.py: save('receipt')",
		"shop/stock.py: Shelf([3, 4]).count()", "shop/stock.py: Shelf([3, 4])", "shop/stock.py: Shelf([5])",
		"shop/stock.py: Shelf([5]).add(6)",
		"shop/cart.py: total([5])", "shop/cart.py: total([7])", "shop/cart.py: total([8], 1)",
		"shop/stock.py: Box(items=[1]).count()", "shop/stock.py: Box.volume(2, 3)", "shop/stock.py: Shelf.full(2)",
		"shop/stock.py: Shelf([9]).count()", "shop/stock.py: Shelf([9])",
	}
	if !reflect.DeepEqual(calls, want) {
		t.Errorf("found %q\nwant %q", calls, want)
	}
	p := tree.Provenance()
	if p.Files != 6 || p.Functions != 7 || p.Entries != 15 || p.Dropped["file that does not parse"] != 1 ||
		p.Dropped["entry found twice"] != 1 || p.Dropped["call with an argument that is no literal"] != 2 {
		t.Errorf("provenance %+v", p)
	}
	licences := []Licence{
		{Of: filepath.Base(dir), Terms: "The Shop Licence", Texts: map[string]string{"LICENSE.txt": shop["LICENSE.txt"]}},
		{Of: "shop", Version: "1.5", Terms: "MIT", Texts: map[string]string{"LICENSE": "Permission is granted\n"}},
	}
	if !reflect.DeepEqual(p.Licences, licences) {
		t.Errorf("licences %+v\nwant %+v", p.Licences, licences)
	}
}

func TestLicencesOf(t *testing.T) {
	dir := writeFiles(t, shop)
	got := LicencesOf(map[string]bool{filepath.Join(dir, "shop/cart.py"): true, filepath.Join(dir, "none.py"): true})
	if len(got) != 2 || got[1].Terms != "MIT" || got[0].Terms != "The Shop Licence" {
		t.Errorf("licences %+v", got)
	}
}

// TestTreeIsConfined runs what the tree calls: it computes, but writes nothing.
func TestTreeIsConfined(t *testing.T) {
	tree, err := ScanTree(context.Background(), writeFiles(t, shop), "")
	if err != nil {
		t.Fatal(err)
	}
	all := func(yield func(Case) bool) {
		for c := range tree.Range(0, tree.Len()) {
			if !yield(c) {
				return
			}
		}
	}
	returned := map[string]string{}
	for r, err := range Record(context.Background(), all, RecordOptions{Workers: 1, Foreign: tree.Foreign(), Time: patient}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Dropped != Kept {
			t.Fatalf("%s: %s", r.Case.Entry, r.Dropped)
		}
		for i := range r.Recording.States {
			if s := &r.Recording.States[i]; s.Event == statetree.Return && r.Recording.Exit == statetree.ExitNormal || s.Event == statetree.Exception && returned[r.Case.Entry] == "" {
				returned[r.Case.Entry] = s.Arg
			}
		}
	}
	if returned["Shelf([3, 4]).count()"] != "2" || returned["Box(items=[1]).count()"] != "1" || returned["Box.volume(2, 3)"] != "6" {
		t.Errorf("the methods gave %q", returned)
	}
	if returned["total([1, 2])"] != "6" || returned["total([5])"] != "10" || !strings.HasPrefix(returned["save('receipt')"], "PermissionError('open is refused") {
		t.Errorf("the calls gave %q", returned)
	}
	if _, err := os.Stat("/tmp/neuraldbg-corpus-test"); err == nil {
		t.Error("a program of a corpus has written a file")
	}
}

func TestScanTreeErrors(t *testing.T) {
	for dir, want := range map[string]string{
		filepath.Join(t.TempDir(), "none"):                     "no such file",
		writeFiles(t, map[string]string{"a.py": "print(1)\n"}): "no doctest or assertion",
		writeFiles(t, map[string]string{"a.py": "x = = 1\n"}):  "; left out: file that does not parse (1)",
	} {
		if _, err := ScanTree(context.Background(), dir, ""); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if _, err := ScanTree(context.Background(), t.TempDir(), "no-such-python"); err == nil {
		t.Error("no error without a Python")
	}
}
