package tokenizer

import (
	"strings"
	"sync"
)

// A Tokenizer encodes text and decodes ids. It is immutable but for a cache,
// and safe for use by several goroutines.
type Tokenizer struct {
	vocab
	split    splitter
	splitSet []preTokenizer // what split was built from, for writing
	nfc      bool           // normalise to NFC before splitting
	// ignoreMerges takes a pre-token that is in the vocabulary as it is, even
	// where the merges would not build it.
	ignoreMerges bool
	// added are the added tokens that are not special, found before and after
	// the text is normalised.
	added, addedNormalized addedTexts
	cache                  cache
}

// vocab is the tokens and merges of a BPE model.
type vocab struct {
	tokens   [][]byte // id → bytes; a special token's are its spelling; nil where an id is unused
	special  []bool   // id → is special
	specials map[string]int32
	ids      map[string]int32 // bytes → id, ordinary tokens
	bytes    [256]int32       // byte → id, or noToken
	merges   map[pair]merge
	order    []pair // the merges by rank
	// addedTexts are the added tokens that are not special, by id.
	addedTexts map[int32]addedText
}

// noToken is for bytes that the vocabulary has no token for.
const noToken = -1

// pair is two neighbouring tokens.
type pair struct{ left, right int32 }

// merge is what a pair becomes, and how early: a lower rank merges first.
type merge struct{ rank, id int32 }

// Size returns the number of ids, special tokens included: valid ids are
// smaller.
func (t *Tokenizer) Size() int { return len(t.tokens) }

// Special returns the id of a special token by its spelling, such as
// "<|frame_sep|>".
func (t *Tokenizer) Special(text string) (id int32, ok bool) {
	id, ok = t.specials[text]
	return id, ok
}

// Token returns the bytes of a token, which need not be valid UTF-8 by
// themselves; of a special token its spelling. An id outside the vocabulary has
// no bytes. The caller must not change them.
func (t *Tokenizer) Token(id int32) (text []byte, special bool) {
	if id < 0 || int(id) >= len(t.tokens) {
		return nil, false
	}
	return t.tokens[id], t.special[id]
}

// Encode appends the ids of text to dst. It never yields a special token. Any
// bytes are accepted, valid UTF-8 or not. Some vocabularies lack bytes that are
// hardly ever used, such as control characters; these are left out.
func (t *Tokenizer) Encode(dst []int32, text string) []int32 {
	found := func(id int32) { dst = append(dst, id) }
	t.added.cut(text, func(text string) {
		if t.nfc {
			text = normalise(text)
		}
		t.addedNormalized.cut(text, func(text string) {
			t.split(text, func(piece string) {
				dst = t.encodePiece(dst, piece)
			})
		}, found)
	}, found)
	return dst
}

// findAddedTexts prepares to look for the added tokens that are not special.
func (t *Tokenizer) findAddedTexts() {
	var before, after []addedText
	for _, a := range t.addedTexts {
		if a.normalized {
			after = append(after, a)
		} else {
			before = append(before, a)
		}
	}
	t.added, t.addedNormalized = newAddedTexts(before), newAddedTexts(after)
}

func (t *Tokenizer) encodePiece(dst []int32, piece string) []int32 {
	if len(piece) == 1 {
		if id := t.bytes[piece[0]]; id != noToken {
			dst = append(dst, id)
		}
		return dst
	}
	if ids, ok := t.cache.get(piece); ok {
		return append(dst, ids...)
	}
	start := len(dst)
	if id, ok := t.ids[piece]; ok && t.ignoreMerges {
		dst = append(dst, id)
	} else {
		dst = t.mergePiece(dst, piece)
	}
	t.cache.put(piece, dst[start:])
	return dst
}

// Decode returns the text of ids, special tokens spelled out. Ids outside the
// vocabulary are left out.
func (t *Tokenizer) Decode(ids []int32) string {
	var b strings.Builder
	for _, id := range ids {
		token, _ := t.Token(id)
		b.Write(token)
	}
	return b.String()
}

// cache remembers the ids of pre-tokens. Text is repetitive: nearly every
// pre-token was seen before.
type cache struct {
	mu  sync.RWMutex
	ids map[string][]int32
}

// The cache stops growing at cacheEntries; longer pre-tokens are unlikely to
// come again.
const (
	cacheEntries     = 1 << 17
	cachePieceLength = 48
)

func (c *cache) get(piece string) ([]int32, bool) {
	c.mu.RLock()
	ids, ok := c.ids[piece]
	c.mu.RUnlock()
	return ids, ok
}

func (c *cache) put(piece string, ids []int32) {
	if len(piece) > cachePieceLength {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ids == nil {
		c.ids = make(map[string][]int32)
	}
	if len(c.ids) < cacheEntries {
		// The copies keep the cache from pinning the caller's memory.
		c.ids[strings.Clone(piece)] = append([]int32(nil), ids...)
	}
}
