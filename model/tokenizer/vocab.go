package tokenizer

import "fmt"

func (v *vocab) init() {
	v.specials = make(map[string]int32)
	v.ids = make(map[string]int32)
	v.merges = make(map[pair]merge)
	v.addedTexts = make(map[int32]addedText)
	for b := range v.bytes {
		v.bytes[b] = noToken
	}
}

// addToken adds an ordinary token at the next id. A token that two different
// merges build has one id, the first.
func (v *vocab) addToken(token []byte) int32 {
	if id, ok := v.ids[string(token)]; ok {
		return id
	}
	id := int32(len(v.tokens))
	v.setToken(token, id)
	return id
}

func (v *vocab) grow(id int32) {
	for int(id) >= len(v.tokens) {
		v.tokens = append(v.tokens, nil)
		v.special = append(v.special, false)
	}
}

func (v *vocab) setToken(token []byte, id int32) {
	v.grow(id)
	v.tokens[id] = token
	v.ids[string(token)] = id
	if len(token) == 1 {
		v.bytes[token[0]] = id
	}
}

func (v *vocab) addMerge(p pair, id int32) {
	if _, known := v.merges[p]; !known {
		v.merges[p] = merge{rank: int32(len(v.order)), id: id}
	}
	v.order = append(v.order, p)
}

func (v *vocab) addSpecial(text string, id int32) error {
	if text == "" {
		return fmt.Errorf("special token %d is empty", id)
	}
	if old, ok := v.specials[text]; ok && old != id {
		return fmt.Errorf("special token %q has two ids, %d and %d", text, old, id)
	}
	v.grow(id)
	if v.special[id] && string(v.tokens[id]) != text {
		return fmt.Errorf("id %d has two special tokens, %q and %q", id, v.tokens[id], text)
	}
	if old := v.tokens[id]; old != nil && v.ids[string(old)] == id {
		// Some files list special tokens in the ordinary vocabulary too.
		delete(v.ids, string(old))
	}
	v.tokens[id], v.special[id], v.specials[text] = []byte(text), true, id
	return nil
}

// addText adds an added token that is not special.
func (v *vocab) addText(a addedText) error {
	if a.content == "" {
		return fmt.Errorf("token %d is empty", a.id)
	}
	v.grow(a.id)
	if old := v.tokens[a.id]; v.special[a.id] {
		return fmt.Errorf("id %d has two added tokens, %q and %q", a.id, old, a.content)
	}
	v.tokens[a.id] = []byte(a.content)
	v.addedTexts[a.id] = a
	return nil
}
