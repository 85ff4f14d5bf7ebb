package tokenizer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/neuraldbg/neuraldbg/internal/regularfile"
	"github.com/neuraldbg/neuraldbg/model/jsonerror"
)

// File is the name that a tokenizer's file has in the folder of a model, in the
// layout of Hugging Face.
const File = "tokenizer.json"

// file is a tokenizer.json, as far as byte-level BPE needs it.
type file struct {
	Version       string          `json:"version"`
	Truncation    json.RawMessage `json:"truncation"`
	Padding       json.RawMessage `json:"padding"`
	AddedTokens   []addedToken    `json:"added_tokens"`
	Normalizer    *normalizer     `json:"normalizer"`
	PreTokenizer  *preTokenizer   `json:"pre_tokenizer"`
	PostProcessor json.RawMessage `json:"post_processor"`
	Decoder       *decoder        `json:"decoder"`
	Model         model           `json:"model"`
}

type addedToken struct {
	ID         int32  `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	LStrip     bool   `json:"lstrip"`
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"`
	Special    bool   `json:"special"`
}

type normalizer struct {
	Type        string       `json:"type"`
	Normalizers []normalizer `json:"normalizers,omitempty"`
}

type preTokenizer struct {
	Type             string         `json:"type"`
	PreTokenizers    []preTokenizer `json:"pretokenizers,omitempty"`
	Pattern          *pattern       `json:"pattern,omitempty"`
	Behavior         string         `json:"behavior,omitempty"`
	Invert           *bool          `json:"invert,omitempty"`
	IndividualDigits *bool          `json:"individual_digits,omitempty"`
	AddPrefixSpace   *bool          `json:"add_prefix_space,omitempty"`
	TrimOffsets      *bool          `json:"trim_offsets,omitempty"`
	UseRegex         *bool          `json:"use_regex,omitempty"`
}

type pattern struct {
	Regex  *string `json:"Regex,omitempty"`
	String *string `json:"String,omitempty"`
}

type decoder struct {
	Type           string    `json:"type"`
	Decoders       []decoder `json:"decoders,omitempty"`
	AddPrefixSpace bool      `json:"add_prefix_space"`
	TrimOffsets    bool      `json:"trim_offsets"`
	UseRegex       bool      `json:"use_regex"`
}

type model struct {
	Type         string          `json:"type"`
	Dropout      *float64        `json:"dropout"`
	UnkToken     *string         `json:"unk_token"`
	Prefix       *string         `json:"continuing_subword_prefix"`
	Suffix       *string         `json:"end_of_word_suffix"`
	FuseUnk      bool            `json:"fuse_unk"`
	ByteFallback bool            `json:"byte_fallback"`
	IgnoreMerges bool            `json:"ignore_merges"`
	Vocab        json.RawMessage `json:"vocab"`
	Merges       json.RawMessage `json:"merges"`
}

func splitPreTokenizer(regex string) preTokenizer {
	no := false
	return preTokenizer{Type: "Split", Pattern: &pattern{Regex: &regex}, Behavior: "Isolated", Invert: &no}
}

func byteLevelPreTokenizer() preTokenizer {
	yes, no := true, false
	return preTokenizer{Type: "ByteLevel", AddPrefixSpace: &no, TrimOffsets: &yes, UseRegex: &no}
}

// Load reads the tokenizer.json at path. Its errors name the file and the fault.
func Load(path string) (*Tokenizer, error) {
	data, err := regularfile.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("load a tokenizer: %w", err)
	}
	t, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("load the tokenizer %s: %w", path, err)
	}
	return t, nil
}

// Parse reads the content of a tokenizer.json.
func Parse(data []byte) (*Tokenizer, error) {
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("not a tokenizer.json: %w", jsonerror.Describe(err))
	}
	m := f.Model
	switch {
	case m.Type != "BPE" && m.Type != "": // old files leave the type out
		return nil, fmt.Errorf("the model is of type %q; only BPE is supported", m.Type)
	case m.ByteFallback || present(m.Prefix) || present(m.Suffix):
		return nil, errors.New("the model is a BPE over characters (byte_fallback, prefix or suffix); only byte-level BPE is supported")
	case m.Dropout != nil && *m.Dropout > 0:
		return nil, fmt.Errorf("the model has dropout %v; only deterministic encoding is supported", *m.Dropout)
	}
	if f.Decoder == nil || !f.Decoder.byteLevel() {
		return nil, errors.New("the decoder is not ByteLevel; only byte-level BPE is supported")
	}
	t := &Tokenizer{ignoreMerges: m.IgnoreMerges}
	var err error
	if t.nfc, err = f.Normalizer.nfc(); err != nil {
		return nil, err
	}
	if f.PreTokenizer == nil {
		return nil, errors.New("there is no pre_tokenizer; only byte-level BPE is supported")
	}
	t.splitSet = f.PreTokenizer.flatten(nil)
	if t.split, err = buildSplitter(t.splitSet); err != nil {
		return nil, err
	}
	t.vocab.init()
	if err := t.readVocab(m.Vocab, f.AddedTokens); err != nil {
		return nil, err
	}
	if err := t.readMerges(m.Merges); err != nil {
		return nil, err
	}
	return t, nil
}

func present(s *string) bool { return s != nil && *s != "" }

func (d *decoder) byteLevel() bool {
	if d.Type == "Sequence" {
		for i := range d.Decoders {
			if d.Decoders[i].byteLevel() {
				return true
			}
		}
	}
	return d.Type == "ByteLevel"
}

// nfc reports whether text is normalised to NFC; anything else is an error.
func (n *normalizer) nfc() (bool, error) {
	if n == nil {
		return false, nil
	}
	switch n.Type {
	case "NFC":
		return true, nil
	case "Sequence":
		any := false
		for i := range n.Normalizers {
			nfc, err := n.Normalizers[i].nfc()
			if err != nil {
				return false, err
			}
			any = any || nfc
		}
		return any, nil
	}
	return false, fmt.Errorf("the normalizer %q is not supported; NFC is", n.Type)
}

func (p *preTokenizer) flatten(list []preTokenizer) []preTokenizer {
	if p.Type != "Sequence" {
		return append(list, *p)
	}
	for i := range p.PreTokenizers {
		list = p.PreTokenizers[i].flatten(list)
	}
	return list
}

// buildSplitter chains pre-tokenizers: each splits the pieces of the one before.
func buildSplitter(set []preTokenizer) (splitter, error) {
	var chain splitter
	byteLevel := false
	for i := range set {
		byteLevel = byteLevel || set[i].Type == "ByteLevel"
		next, err := set[i].splitter()
		if err != nil {
			return nil, err
		}
		switch before := chain; {
		case next == nil:
		case before == nil:
			chain = next
		default:
			chain = func(text string, yield func(string)) {
				before(text, func(piece string) { next(piece, yield) })
			}
		}
	}
	if !byteLevel {
		return nil, errors.New("no pre-tokenizer is ByteLevel; only byte-level BPE is supported")
	}
	if chain == nil {
		chain = func(text string, yield func(string)) {
			if text != "" {
				yield(text)
			}
		}
	}
	return chain, nil
}

// splitter returns how p splits, or nil when it leaves text whole.
func (p *preTokenizer) splitter() (splitter, error) {
	is := func(b *bool) bool { return b != nil && *b }
	switch p.Type {
	case "ByteLevel":
		if is(p.AddPrefixSpace) {
			return nil, errors.New("pre-tokenizer ByteLevel: add_prefix_space is not supported: it changes the text")
		}
		if p.UseRegex != nil && !*p.UseRegex {
			return nil, nil
		}
		return splitByRegexp(gpt2Pattern)
	case "Digits":
		return splitDigits(is(p.IndividualDigits)), nil
	case "Split":
		// With a pattern that matches everything, which is how these files
		// use it, removing what does not match leaves the same.
		if p.Behavior != "Isolated" && !(p.Behavior == "Removed" && is(p.Invert)) {
			return nil, fmt.Errorf("pre-tokenizer Split: behavior %q is not supported; Isolated is", p.Behavior)
		}
		if p.Pattern == nil || p.Pattern.Regex == nil {
			return nil, errors.New("pre-tokenizer Split: only a Regex pattern is supported")
		}
		return splitByPattern(*p.Pattern.Regex)
	}
	return nil, fmt.Errorf("the pre-tokenizer %q is not supported; Split, Digits and ByteLevel are", p.Type)
}

// maxID bounds the ids of a file, so that a broken one cannot exhaust memory.
const maxID = 1 << 22

func (t *Tokenizer) readVocab(data json.RawMessage, added []addedToken) error {
	var spelled map[string]int32
	if err := json.Unmarshal(data, &spelled); err != nil {
		return fmt.Errorf("vocab: %w", jsonerror.Describe(err))
	}
	special := make(map[string]bool, len(added)) // of the added tokens
	for _, a := range added {
		special[a.Content] = a.Special
	}
	for s, id := range spelled {
		isSpecial, isAdded := special[s]
		if isSpecial {
			continue // listed twice; special tokens are spelled as they are
		}
		token, err := unspell(s)
		if err != nil && isAdded {
			continue
		}
		if err != nil {
			return fmt.Errorf("vocab: %w", err)
		}
		if id < 0 || id > maxID {
			return fmt.Errorf("vocab: token %q has the id %d", s, id)
		}
		if int(id) < len(t.tokens) && t.tokens[id] != nil {
			return fmt.Errorf("vocab: the tokens %q and %q have the same id %d", spell(t.tokens[id]), s, id)
		}
		t.setToken(token, id)
	}
	if err := t.checkBytes(); err != nil {
		return fmt.Errorf("vocab: %w", err)
	}
	for _, a := range added {
		if a.ID < 0 || a.ID > maxID {
			return fmt.Errorf("added_tokens: %q has the id %d", a.Content, a.ID)
		}
		if a.Special {
			if err := t.addSpecial(a.Content, a.ID); err != nil {
				return fmt.Errorf("added_tokens: %w", err)
			}
		} else if err := t.addText(a.text()); err != nil {
			return fmt.Errorf("added_tokens: %w", err)
		}
	}
	t.findAddedTexts()
	return nil
}

// text is an added token that is not special.
func (a addedToken) text() addedText {
	return addedText{
		id: a.ID, content: a.Content, normalized: a.Normalized,
		singleWord: a.SingleWord, lstrip: a.LStrip, rstrip: a.RStrip,
	}
}

// readMerges reads both spellings: "a b", and ["a", "b"] of newer files.
func (t *Tokenizer) readMerges(data json.RawMessage) error {
	var merges []json.RawMessage
	if err := json.Unmarshal(data, &merges); err != nil {
		return fmt.Errorf("merges: %w", jsonerror.Describe(err))
	}
	for i, raw := range merges {
		var halves []string
		if bytes.HasPrefix(raw, []byte("[")) {
			if err := json.Unmarshal(raw, &halves); err != nil {
				return fmt.Errorf("merges: entry %d: %w", i, jsonerror.Describe(err))
			}
		} else {
			var s string
			if err := json.Unmarshal(raw, &s); err != nil {
				return fmt.Errorf("merges: entry %d: %w", i, jsonerror.Describe(err))
			}
			halves = strings.Split(s, " ")
		}
		if len(halves) != 2 {
			return fmt.Errorf("merges: entry %d, %s, is not a pair", i, raw)
		}
		left, err := t.mergeHalf(halves[0])
		if err != nil {
			return fmt.Errorf("merges: entry %d: %w", i, err)
		}
		right, err := t.mergeHalf(halves[1])
		if err != nil {
			return fmt.Errorf("merges: entry %d: %w", i, err)
		}
		merged, err := t.mergeHalf(halves[0] + halves[1])
		if err != nil {
			return fmt.Errorf("merges: entry %d: %w", i, err)
		}
		t.addMerge(pair{left, right}, merged)
	}
	return nil
}

func (t *Tokenizer) mergeHalf(s string) (int32, error) {
	token, err := unspell(s)
	if err != nil {
		return 0, err
	}
	id, ok := t.ids[string(token)]
	if !ok {
		return 0, fmt.Errorf("token %q is not in the vocabulary", s)
	}
	return id, nil
}
