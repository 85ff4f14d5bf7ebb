package neural

// trie is a set of token sequences, none of which is the beginning of another:
// every sequence ends with a special token that occurs nowhere else in it.
type trie struct {
	children map[int32]*trie
	// order has the keys of children in the order in which they were added, so
	// that nothing depends on the order of a map.
	order []int32
}

// add puts a sequence into the trie.
func (t *trie) add(ids []int32) {
	for _, id := range ids {
		child := t.children[id]
		if child == nil {
			if t.children == nil {
				t.children = map[int32]*trie{}
			}
			child = &trie{}
			t.children[id] = child
			t.order = append(t.order, id)
		}
		t = child
	}
}
