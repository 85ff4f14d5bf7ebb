package source

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sitter "github.com/tree-sitter/go-tree-sitter"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
)

// The package declares tree-sitter's C interface itself, so it must agree with
// the Go module's view of the same trees.
func TestParserAgreesWithTreeSitter(t *testing.T) {
	files, err := filepath.Glob("testdata/flow/*.py")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	theirs := sitter.NewParser()
	defer theirs.Close()
	if err := theirs.SetLanguage(sitter.NewLanguage(python.Language())); err != nil {
		t.Fatal(err)
	}
	texts := []string{"\n", "x = (", "def f(:\n  pass\n", "é = 'ü'\n"}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	for _, text := range texts {
		tree := theirs.Parse([]byte(text), nil)
		var want, got strings.Builder
		writeTree(&want, tree.Walk(), 0)
		tree.Close()
		newParser().parse(text, func(nodes []flatNode) {
			for _, n := range nodes {
				fmt.Fprintf(&got, "%d %s %s %d-%d %v\n", n.depth, pythonGrammar().kind(n.kind).name,
					pythonGrammar().fields[n.field], n.start, n.end, n.missing)
			}
		})
		if got.String() != want.String() {
			t.Errorf("%.40q: got\n%.2000s\nwant\n%.2000s", text, got.String(), want.String())
		}
	}
}

func writeTree(out *strings.Builder, cursor *sitter.TreeCursor, depth int) {
	n := cursor.Node()
	fmt.Fprintf(out, "%d %s %s %d-%d %v\n", depth, n.Kind(), cursor.FieldName(), n.StartByte(), n.EndByte(), n.IsMissing())
	if cursor.GotoFirstChild() {
		for {
			writeTree(out, cursor, depth+1)
			if !cursor.GotoNextSibling() {
				break
			}
		}
		cursor.GotoParent()
	}
}
