package gguf

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/neuraldbg/neuraldbg/model/tokenizer"
)

// The kinds of tokens, as the format numbers them.
const (
	normalToken  = 1
	controlToken = 3 // special
	userToken    = 4 // found in a text as it is
	unusedToken  = 5
)

// object is a part of a tokenizer.json.
type object = map[string]any

func splitBy(pattern string) object {
	return object{"type": "Sequence", "pretokenizers": []object{
		{"type": "Split", "pattern": object{"Regex": pattern}, "behavior": "Isolated", "invert": false},
		{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false},
	}}
}

// preTokenizers are those that the format names, for which Hugging Face's files
// have the parts.
var preTokenizers = map[string]object{
	"gpt-2":     {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
	"llama-bpe": splitBy(tokenizer.Llama3Pattern),
	"qwen2":     splitBy(tokenizer.Qwen2Pattern),
	"smollm": {"type": "Sequence", "pretokenizers": []object{
		{"type": "Digits", "individual_digits": true},
		{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
	}},
}

// tokenizer makes the tokenizer that the metadata describes.
func (f *File) tokenizer() (*tokenizer.Tokenizer, error) {
	if kind := f.String("tokenizer.ggml.model"); kind != "gpt2" {
		return nil, fmt.Errorf("the tokenizer is of type %q; only byte-level BPE (gpt2) is supported", kind)
	}
	pre, ok := preTokenizers[f.String("tokenizer.ggml.pre")]
	if !ok {
		return nil, fmt.Errorf("the pre-tokenizer %q is not supported; gpt-2, llama-bpe, qwen2 and smollm are", f.String("tokenizer.ggml.pre"))
	}
	tokens, merges := f.Strings("tokenizer.ggml.tokens"), f.Strings("tokenizer.ggml.merges")
	types, _ := f.Metadata["tokenizer.ggml.token_type"].([]any)
	if len(tokens) == 0 || len(types) != len(tokens) {
		return nil, errors.New("the metadata has no tokens with their types")
	}
	vocab := map[string]int{}
	added := []object{}
	for id, token := range tokens {
		switch kind, _ := types[id].(int64); kind {
		case normalToken:
			vocab[token] = id
		case controlToken, userToken:
			added = append(added, object{"id": id, "content": token, "special": kind == controlToken})
		case unusedToken:
		default:
			return nil, fmt.Errorf("token %d, %q, is of the unknown type %d", id, token, kind)
		}
	}
	file := object{
		"version": "1.0", "added_tokens": added, "pre_tokenizer": pre,
		"decoder": object{"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
		"model":   object{"type": "BPE", "vocab": vocab, "merges": merges, "ignore_merges": f.String("tokenizer.ggml.pre") == "llama-bpe"},
	}
	text, err := json.Marshal(file)
	if err != nil {
		return nil, err
	}
	return tokenizer.Parse(text)
}
