package tokenizer

import (
	"os"
	"strings"
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

// A vocabulary that lacks a byte leaves it out, as Hugging Face's tokenizers do.
func TestMissingBytes(t *testing.T) {
	data, err := os.ReadFile("testdata/gpt2.tokenizer.json")
	if err != nil {
		t.Fatal(err)
	}
	without := strings.Replace(string(data), "\"\u0104\": ", "\"\u0104\u0104\": ", 1) // byte 0x04 becomes a token of two
	if without == string(data) {
		t.Fatal("the file has no token for the byte 0x04")
	}
	tok, err := Parse([]byte(without))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"\x04": "", "d\x04ef\x04": "def", "\x04\x04\x04": "", "x \x04": "x "} {
		if got := tok.Decode(tok.Encode(nil, text)); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
