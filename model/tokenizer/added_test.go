package tokenizer

import (
	"os"
	"testing"
)

// Added tokens survive being written, special or not.
func TestAddedTextsAreSaved(t *testing.T) {
	tok, err := Load("testdata/qwen2.tokenizer.json")
	if err != nil {
		t.Fatal(err)
	}
	path := t.TempDir() + "/tokenizer.json"
	if err := tok.Save(path); err != nil {
		t.Fatal(err)
	}
	again, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if tok.Hash() != again.Hash() {
		text, _ := os.ReadFile(path)
		t.Errorf("the tokenizer changed on the way:\n%s", text)
	}
	const text = "a<tool_call>b"
	if got := again.Encode(nil, text); len(got) != 3 || again.Decode(got) != text {
		t.Errorf("%q is encoded as %v", text, got)
	}
	if _, special := again.Token(again.Encode(nil, text)[1]); special {
		t.Error("a token that stands for itself in a text is special")
	}
}
