package tokenizer

import (
	"encoding/base64"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// ranks is a rank file of all bytes and the tokens given.
func ranks(tokens ...string) string {
	var b strings.Builder
	for i := range 256 {
		fmt.Fprintf(&b, "%s %d\n", base64.StdEncoding.EncodeToString([]byte{byte(i)}), i)
	}
	for i, token := range tokens {
		fmt.Fprintf(&b, "%s %d\n", base64.StdEncoding.EncodeToString([]byte(token)), 256+i)
	}
	return b.String()
}

func TestParseRanks(t *testing.T) {
	// "bcd" has a lower rank than "ab", so it is merged where both could be;
	// "xyz" is no merge of two tokens, so it is found as a whole pre-token only.
	tok, err := ParseRanks([]byte(ranks("cd", "bcd", "ab", "xyz")), Llama3Pattern, []string{"<|begin_of_text|>", "<|end_of_text|>"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]int32{
		"abcd": {'a', 257},
		"abc":  {258, 'c'},
		"xyz":  {259},
		"xyzx": {'x', 'y', 'z', 'x'},
	} {
		if got := tok.Encode(nil, text); !slices.Equal(got, want) {
			t.Errorf("%q is encoded as %v, want %v", text, got, want)
		}
	}
	if id, ok := tok.Special("<|end_of_text|>"); !ok || id != 261 || tok.Size() != 262 {
		t.Errorf("the last special token is %d, %v of %d", id, ok, tok.Size())
	}
}

func TestParseRanksErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "no token for the byte 0x0A"},
		{"AA==\n", "line 1"},
		{"!!!! 0\n", "not base64"},
		{"AA== -1\n", "not a token and its rank"},
		{"AA== 99999999\n", "not a token and its rank"},
		{ranks("ab", "ab"), `"ab" has rank 256 already`},
		{ranks("ab") + "YWM= 256\n", "line 258: rank 256 is there twice"},
	} {
		if _, err := ParseRanks([]byte(test.text), Llama3Pattern, nil); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.20q: the error is %v, want %q in it", test.text, err, test.want)
		}
	}
	if _, err := LoadRanks("testdata/none", Llama3Pattern, nil); err == nil || !strings.Contains(err.Error(), "testdata/none") {
		t.Errorf("a missing file: %v", err)
	}
}

func FuzzParseRanks(f *testing.F) {
	seed, err := os.ReadFile("testdata/llama3.tiktoken")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add([]byte("AA== 0\n\nAQ== 7"))
	f.Fuzz(func(t *testing.T, data []byte) {
		tok, err := ParseRanks(data, Llama3Pattern, nil)
		if err != nil {
			return
		}
		const text = "def f(x): return 'né' # \x00"
		if got := tok.Decode(tok.Encode(nil, text)); got != text && tok.bytes["é"[0]] != noToken && tok.bytes["é"[1]] != noToken && tok.bytes[0] != noToken {
			t.Errorf("%q comes back as %q", text, got)
		}
	})
}
