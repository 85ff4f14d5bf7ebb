package tokenizer

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"strconv"

	"github.com/neuraldbg/neuraldbg/internal/regularfile"
)

// RankFile is the name that a tiktoken rank file has in the folder of a model,
// in the layout of Meta's releases.
const RankFile = "tokenizer.model"

// Llama3Pattern is the pre-token pattern of Llama 3 and of what descends from
// it. A rank file does not say its pattern.
const Llama3Pattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`

// Qwen2Pattern is that of Qwen2 and Qwen3: digits stand alone.
const Qwen2Pattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`

// LoadRanks reads a tiktoken rank file: a line a token, its bytes in base64 and
// its rank, which is its id. Such a file has no special tokens; specials are
// their spellings, with ids from the number of ranks on.
func LoadRanks(path, pattern string, specials []string) (*Tokenizer, error) {
	data, err := regularfile.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("load a tokenizer: %w", err)
	}
	t, err := ParseRanks(data, pattern, specials)
	if err != nil {
		return nil, fmt.Errorf("load the tokenizer %s: %w", path, err)
	}
	return t, nil
}

// ParseRanks reads the content of a rank file; see LoadRanks.
func ParseRanks(data []byte, pattern string, specials []string) (*Tokenizer, error) {
	// A pre-token that is a token is taken as it is.
	t := &Tokenizer{ignoreMerges: true, splitSet: []preTokenizer{splitPreTokenizer(pattern), byteLevelPreTokenizer()}}
	var err error
	if t.split, err = buildSplitter(t.splitSet); err != nil {
		return nil, err
	}
	t.vocab.init()
	lines := bufio.NewScanner(bytes.NewReader(data))
	for number := 1; lines.Scan(); number++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		token, rank, err := parseRank(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if int(rank) < len(t.tokens) && t.tokens[rank] != nil {
			return nil, fmt.Errorf("line %d: rank %d is there twice", number, rank)
		}
		if old, ok := t.ids[string(token)]; ok {
			return nil, fmt.Errorf("line %d: the token %q has rank %d already", number, token, old)
		}
		t.setToken(token, rank)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if err := t.checkBytes(); err != nil {
		return nil, err
	}
	t.mergeByRank()
	first := len(t.tokens)
	for i, special := range specials {
		if err := t.addSpecial(special, int32(first+i)); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func parseRank(line []byte) (token []byte, rank int32, err error) {
	encoded, number, ok := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
	if !ok {
		return nil, 0, fmt.Errorf("%q is not a token and its rank", line)
	}
	if token, err = base64.StdEncoding.DecodeString(string(encoded)); err != nil {
		return nil, 0, fmt.Errorf("the token is not base64: %w", err)
	}
	n, err := strconv.ParseUint(string(number), 10, 31)
	if err != nil || n > maxID || len(token) == 0 {
		return nil, 0, fmt.Errorf("%q is not a token and its rank", line)
	}
	return token, int32(n), nil
}

// mergeByRank makes the merges that ranks stand for: any two tokens that
// together are a token merge to it, and those of a lower rank first.
func (v *vocab) mergeByRank() {
	for id, token := range v.tokens {
		for cut := 1; cut < len(token); cut++ {
			left, isLeft := v.ids[string(token[:cut])]
			right, isRight := v.ids[string(token[cut:])]
			if isLeft && isRight {
				v.addMerge(pair{left, right}, int32(id))
			}
		}
	}
}

// checkBytes reports a byte that every text has and that no token stands for.
func (v *vocab) checkBytes() error {
	for b := range 0x7f {
		if (b >= ' ' || b == '\n') && v.bytes[b] == noToken {
			return fmt.Errorf("there is no token for the byte 0x%02X; only byte-level BPE is supported", b)
		}
	}
	return nil
}
