package tokenizer

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
)

// Train learns a vocabulary of exactly size ids from texts: the 256 bytes, then
// what merging adds, then the special tokens, in the order given. The texts are
// those that Encode will see, without their special tokens. The package comment
// says which merges are learned. The result depends on the texts alone.
func Train(texts iter.Seq[string], size int, specials []string) (*Tokenizer, error) {
	wanted := size - 256 - len(specials)
	if wanted < 0 {
		return nil, fmt.Errorf("train a tokenizer: a vocabulary of %d has no room for 256 bytes and %d special tokens", size, len(specials))
	}
	t := &Tokenizer{
		split:    splitOwn,
		splitSet: []preTokenizer{splitPreTokenizer(Pattern), byteLevelPreTokenizer()},
	}
	t.vocab.init()
	for b := range 256 {
		t.addToken([]byte{byte(b)})
	}
	words := countWords(texts, t.bytes)
	for range wanted {
		best, count := bestPair(words, t.tokens)
		if count < 2 {
			return nil, fmt.Errorf("train a tokenizer: the texts give %d merges, and a vocabulary of %d needs %d; give more text or a smaller size", len(t.order), size, wanted)
		}
		id := t.addToken(slices.Concat(t.tokens[best.left], t.tokens[best.right]))
		t.addMerge(best, id)
		for i := range words {
			words[i].ids = replacePair(words[i].ids, best, id)
		}
	}
	for _, text := range specials {
		if err := t.addSpecial(text, int32(len(t.tokens))); err != nil {
			return nil, fmt.Errorf("train a tokenizer: %w", err)
		}
	}
	return t, nil
}

// word is a pre-token as far as it has merged, and how often it occurs.
type word struct {
	ids   []int32
	count int
}

// countWords returns the distinct pre-tokens that can have a merge at their
// start. Those that begin with a letter cannot: what follows is a letter too.
func countWords(texts iter.Seq[string], byteIDs [256]int32) []word {
	counts := make(map[string]int)
	for text := range texts {
		splitOwn(text, func(piece string) {
			if class, _ := classify(piece); len(piece) > 1 && (class == other || class == lineEnd) {
				counts[piece]++
			}
		})
	}
	words := make([]word, 0, len(counts))
	for piece, count := range counts {
		ids := make([]int32, len(piece))
		for i := range ids {
			ids[i] = byteIDs[piece[i]]
		}
		words = append(words, word{ids, count})
	}
	return words
}

// bestPair returns the pair that begins most words. Among equals the one whose
// bytes come first wins, so that the order of words does not matter.
func bestPair(words []word, tokens [][]byte) (best pair, count int) {
	counts := make(map[pair]int)
	for _, w := range words {
		if len(w.ids) > 1 {
			counts[pair{w.ids[0], w.ids[1]}] += w.count
		}
	}
	before := func(a, b pair) bool {
		if c := bytes.Compare(tokens[a.left], tokens[b.left]); c != 0 {
			return c < 0
		}
		return bytes.Compare(tokens[a.right], tokens[b.right]) < 0
	}
	for p, n := range counts {
		if n > count || n == count && before(p, best) {
			best, count = p, n
		}
	}
	return best, count
}

// replacePair merges every occurrence of p in ids, from left to right and in
// place: any BPE encoder merges inside a pre-token too.
func replacePair(ids []int32, p pair, id int32) []int32 {
	out := ids[:0]
	for i := 0; i < len(ids); i++ {
		if i+1 < len(ids) && ids[i] == p.left && ids[i+1] == p.right {
			out = append(out, id)
			i++
			continue
		}
		out = append(out, ids[i])
	}
	return out
}
