package tokenizer

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

const sample = `def count(s, t):
    n = 0
    for c in s:
        n += int(c == t)
    return n

def main():
    return count("berry", "r")
`

var sampleStates = []string{
	`{"s": "'berry'", "t": "'r'"}`, `{"..": "..", "n": "0"}`, `{"..": ".."}`, `    for c in s:`,
	`        n += int(c == t)`, `    return n`, `{"..": "..", "c": "'r'"}`,
}

var specials = []string{"<|begin_of_text|>", "<|frame_sep|>", "<|end_of_text|>"}

// trained is a small vocabulary of the project's own kind.
func trained(t testing.TB) *Tokenizer {
	t.Helper()
	texts := slices.Repeat(append([]string{sample}, sampleStates...), 2)
	tok, err := Train(slices.Values(texts), 256+60+len(specials), specials)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func tokens(tok *Tokenizer, text string) []string {
	var out []string
	for _, id := range tok.Encode(nil, text) {
		token, _ := tok.Token(id)
		out = append(out, string(token))
	}
	return out
}

func TestTrainedTokens(t *testing.T) {
	tok := trained(t)
	for _, test := range []struct {
		text string
		want []string
	}{
		{"    for c in s:", []string{"   ", " for", " c", " in", " s", ":"}},
		{`{"..": "..", "n": "0"}`, []string{`{"..": "..", `, `"n`, `": "`, "0", `"}`}},
		{"1234", []string{"1", "2", "3", "4"}},
		{"'forfor return'", []string{"'", "f", "o", "r", "f", "o", "r", " return", "'"}},
		{"<|frame_sep|>", []string{"<", "|", "f", "r", "a", "m", "e", "_", "s", "e", "p", "|", ">"}},
		{"", nil},
	} {
		if got := tokens(tok, test.text); !slices.Equal(got, test.want) {
			t.Errorf("%q gives\n%q, want\n%q", test.text, got, test.want)
		}
	}
}

// Strings have to stay one token a letter.
func TestNoTokenJoinsBareLetters(t *testing.T) {
	tok := trained(t)
	for id := range tok.Size() {
		token, special := tok.Token(int32(id))
		letters := 0
		for _, b := range token {
			if unicode.IsLetter(rune(b)) && b < utf8.RuneSelf {
				letters++
			}
		}
		if !special && letters == len(token) && letters > 1 {
			t.Errorf("token %d is the bare word %q", id, token)
		}
	}
}

func TestSpecials(t *testing.T) {
	tok := trained(t)
	id, ok := tok.Special("<|frame_sep|>")
	if !ok || int(id) != tok.Size()-2 {
		t.Errorf("Special gives %d, %v", id, ok)
	}
	if _, ok := tok.Special("def"); ok {
		t.Error("an ordinary text is special")
	}
	if text, special := tok.Token(id); string(text) != "<|frame_sep|>" || !special {
		t.Errorf("Token(%d) = %q, %v", id, text, special)
	}
	if text, _ := tok.Token(int32(tok.Size())); text != nil {
		t.Errorf("an id outside the vocabulary is %q", text)
	}
	if slices.Contains(tok.Encode(nil, "a<|frame_sep|>b"), id) {
		t.Error("text gave a special token")
	}
}

func TestTrainIsDeterministic(t *testing.T) {
	if a, b := trained(t).Hash(), trained(t).Hash(); a != b {
		t.Errorf("two trainings on the same texts give %s and %s", a, b)
	}
}

func TestTrainErrors(t *testing.T) {
	if _, err := Train(slices.Values([]string{sample}), 100, nil); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Errorf("a size of 100: %v", err)
	}
	if _, err := Train(slices.Values([]string{sample}), 5000, nil); err == nil || !strings.Contains(err.Error(), "more text") {
		t.Errorf("too little text: %v", err)
	}
	if _, err := Train(slices.Values([]string{sample}), 258, []string{"<a>", "<a>"}); err == nil {
		t.Error("a special token given twice is accepted")
	}
}

func TestSaveAndLoad(t *testing.T) {
	tok := trained(t)
	path := filepath.Join(t.TempDir(), "tokenizer.json")
	if err := tok.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if loaded.Hash() != tok.Hash() {
		t.Error("the hash changed")
	}
	if a, b := tok.Encode(nil, sample), loaded.Encode(nil, sample); !slices.Equal(a, b) {
		t.Errorf("before %v, after %v", a, b)
	}
}

// agreement is texts with the ids that Hugging Face's tokenizers gives them
// under the tokenizer.json beside them; testdata/agree.py writes it.
type agreement struct {
	File  string `json:"file"`
	Cases []struct {
		Text string  `json:"text"`
		IDs  []int32 `json:"ids"`
	} `json:"cases"`
}

func TestAgreesWithHuggingFace(t *testing.T) {
	if *update {
		if err := trained(t).Save("testdata/own.tokenizer.json"); err != nil {
			t.Fatal(err)
		}
		t.Log("now run testdata/agree.py")
	}
	data, err := os.ReadFile("testdata/agreement.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []agreement
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) < 6 {
		t.Fatalf("only %d files are compared", len(all))
	}
	for _, a := range all {
		t.Run(a.File, func(t *testing.T) {
			tok, err := loadEither(filepath.Join("testdata", a.File))
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range a.Cases {
				if got := tok.Encode(nil, c.Text); !slices.Equal(got, c.IDs) {
					t.Errorf("%q\n got %v\nwant %v", c.Text, got, c.IDs)
				}
			}
		})
	}
}

func loadEither(path string) (*Tokenizer, error) {
	if strings.HasSuffix(path, ".tiktoken") {
		return LoadRanks(path, Llama3Pattern, specials)
	}
	return Load(path)
}

func TestParseErrors(t *testing.T) {
	good, err := trained(t).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	replace := func(old, new string) []byte {
		if !bytes.Contains(good, []byte(old)) {
			t.Fatalf("%q is not in the file", old)
		}
		return bytes.Replace(good, []byte(old), []byte(new), 1)
	}
	for _, test := range []struct {
		name string
		data []byte
		want string
	}{
		{"no JSON", []byte("{"), "not a tokenizer.json"},
		{"other model", replace(`"type": "BPE"`, `"type": "Unigram"`), `"Unigram"`},
		{"byte fallback", replace(`"byte_fallback": false`, `"byte_fallback": true`), "byte-level"},
		{"normalizer", replace(`"normalizer": null`, `"normalizer": {"type": "Lowercase"}`), `"Lowercase"`},
		{"pre-tokenizer", replace(`"type": "Split"`, `"type": "Metaspace"`), `"Metaspace"`},
		{"behavior", replace(`"Isolated"`, `"MergedWithNext"`), `"MergedWithNext"`},
		{"bad regex", replace(`\\p{N}|`, `(`), "pre-token pattern"},
		{"same id twice", replace(`"\"": 34`, `"\"": 33`), "same id 33"},
		{"huge id", replace(`"\"": 34`, `"\"": 99999999`), "99999999"},
		{"missing byte", replace(`"\"": 34`, `"zzzz": 34`), "0x22"},
		{"merge of unknown", replace(`"merges": [`, `"merges": ["q z",`), `"qz"`},
		{"not a pair", replace(`"merges": [`, `"merges": ["q",`), "not a pair"},
		{"special twice", replace(`"<|frame_sep|>"`, `"<|end_of_text|>"`), "two ids"},
	} {
		_, err := Parse(test.data)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: the error is %v, want one with %s", test.name, err, test.want)
		}
	}
	if _, err := Load("testdata/none.json"); err == nil || !strings.Contains(err.Error(), "none.json") {
		t.Errorf("a missing file: %v", err)
	}
}

func TestMergesAsPairs(t *testing.T) {
	data, err := trained(t).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	var merges []string
	if err := json.Unmarshal(f.Model.Merges, &merges); err != nil {
		t.Fatal(err)
	}
	pairs := make([][]string, len(merges))
	for i, m := range merges {
		pairs[i] = strings.Split(m, " ")
	}
	if f.Model.Merges, err = json.Marshal(pairs); err != nil {
		t.Fatal(err)
	}
	if data, err = json.Marshal(f); err != nil {
		t.Fatal(err)
	}
	tok, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if tok.Hash() != trained(t).Hash() {
		t.Error("the two spellings of merges give different tokenizers")
	}
}

func TestLongRunIsNotQuadratic(t *testing.T) {
	tok := trained(t)
	text := strings.Repeat(" ", 1<<20)
	if got := tok.Decode(tok.Encode(nil, text)); got != text {
		t.Error("a long run does not round-trip")
	}
}

func FuzzRoundTrip(f *testing.F) {
	for _, s := range append(sampleStates, sample, "\xff\xfe", "é'é", "日本語 12٣", "\u2028x", "don't") {
		f.Add(s)
	}
	tok := trained(f)
	f.Fuzz(func(t *testing.T, text string) {
		ids := tok.Encode(nil, text)
		if got := tok.Decode(ids); got != text {
			t.Errorf("%q comes back as %q", text, got)
		}
		for _, id := range ids {
			if _, special := tok.Token(id); special {
				t.Errorf("%q gives the special token %d", text, id)
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	text := strings.Repeat(sample+strings.Join(sampleStates, ""), 100)
	llama3, err := Load("testdata/llama3.tokenizer.json")
	if err != nil {
		b.Fatal(err)
	}
	for name, tok := range map[string]*Tokenizer{"own": trained(b), "llama3": llama3} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			var ids []int32
			for b.Loop() {
				ids = tok.Encode(ids[:0], text)
			}
		})
	}
}
