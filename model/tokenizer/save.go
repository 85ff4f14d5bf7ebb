package tokenizer

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/neuraldbg/neuraldbg/model/atomicfile"
)

// MarshalJSON writes t as a tokenizer.json. Equal tokenizers give equal bytes.
func (t *Tokenizer) MarshalJSON() ([]byte, error) {
	f := file{
		Version: "1.0",
		Decoder: &decoder{Type: "ByteLevel", AddPrefixSpace: true, TrimOffsets: true, UseRegex: true},
		PreTokenizer: &preTokenizer{
			Type: "Sequence", PreTokenizers: t.splitSet,
		},
		AddedTokens: []addedToken{},
	}
	if t.nfc {
		f.Normalizer = &normalizer{Type: "NFC"}
	}
	var vocab strings.Builder // in the order of ids, which a map would lose
	vocab.WriteByte('{')
	for id, token := range t.tokens {
		a, isText := t.addedTexts[int32(id)]
		switch {
		case isText:
			f.AddedTokens = append(f.AddedTokens, addedToken{
				ID: int32(id), Content: a.content, Normalized: a.normalized,
				SingleWord: a.singleWord, LStrip: a.lstrip, RStrip: a.rstrip,
			})
		case t.special[id]:
			f.AddedTokens = append(f.AddedTokens, addedToken{ID: int32(id), Content: string(token), Special: true})
		case token != nil:
			if vocab.Len() > 1 {
				vocab.WriteByte(',')
			}
			key, err := marshal(spell(token), "")
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&vocab, "%s:%d", key, id)
		}
	}
	vocab.WriteByte('}')
	merges := make([]string, len(t.order))
	for i, p := range t.order {
		// A spelled token has no space in it, so the older form is not
		// ambiguous, and every reader knows it.
		merges[i] = spell(t.tokens[p.left]) + " " + spell(t.tokens[p.right])
	}
	raw, err := marshal(merges, "")
	if err != nil {
		return nil, err
	}
	f.Model = model{Type: "BPE", IgnoreMerges: t.ignoreMerges, Vocab: json.RawMessage(vocab.String()), Merges: raw}
	return marshal(f, "  ")
}

// marshal is json.MarshalIndent that leaves <, > and & as they are.
func marshal(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Save writes t to path as a tokenizer.json. A file that is already there is
// replaced in one step.
func (t *Tokenizer) Save(path string) error {
	data, err := t.MarshalJSON()
	if err == nil {
		err = atomicfile.WriteFile(path, append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("save a tokenizer: %w", err)
	}
	return nil
}

// Hash identifies a tokenizer: token ids mean the same under tokenizers of the
// same hash.
func (t *Tokenizer) Hash() string {
	data, err := t.MarshalJSON()
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}
