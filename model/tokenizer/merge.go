package tokenizer

import "container/heap"

// mergePiece appends the ids of one pre-token: its bytes, merged pair by pair,
// the lowest rank first and the leftmost first among equals. It takes
// O(n log n) time, so that a long run of one character does no harm.
func (v *vocab) mergePiece(dst []int32, piece string) []int32 {
	symbols := make([]symbol, 0, len(piece))
	for i := range len(piece) {
		if id := v.bytes[piece[i]]; id != noToken {
			n := int32(len(symbols))
			symbols = append(symbols, symbol{id: id, prev: n - 1, next: n + 1})
		}
	}
	n := len(symbols)
	if n == 0 {
		return dst
	}
	symbols[n-1].next = -1

	queue := make(candidates, 0, n)
	offer := func(at int32) candidate {
		next := symbols[at].next
		if next < 0 {
			return candidate{at: -1}
		}
		p := pair{symbols[at].id, symbols[next].id}
		m, ok := v.merges[p]
		if !ok {
			return candidate{at: -1}
		}
		return candidate{merge: m, at: at, pair: p}
	}
	for i := range symbols {
		if c := offer(int32(i)); c.at >= 0 {
			queue = append(queue, c)
		}
	}
	heap.Init(&queue)
	for len(queue) > 0 {
		c := heap.Pop(&queue).(candidate)
		left := &symbols[c.at]
		// The candidate is stale when one of its halves has merged since.
		if left.gone || left.next < 0 || left.id != c.pair.left || symbols[left.next].id != c.pair.right {
			continue
		}
		right := &symbols[left.next]
		left.id = c.id
		left.next = right.next
		right.gone = true
		if right.next >= 0 {
			symbols[right.next].prev = c.at
		}
		if next := offer(c.at); next.at >= 0 {
			heap.Push(&queue, next)
		}
		if left.prev >= 0 {
			if before := offer(left.prev); before.at >= 0 {
				heap.Push(&queue, before)
			}
		}
	}
	for at := int32(0); at >= 0; at = symbols[at].next {
		dst = append(dst, symbols[at].id)
	}
	return dst
}

// symbol is a token of a pre-token while it merges; prev and next are indices,
// -1 at the ends.
type symbol struct {
	id, prev, next int32
	gone           bool
}

// candidate is a possible merge of the symbol at an index with the next one.
type candidate struct {
	merge
	at   int32
	pair pair
}

// candidates is a heap.Interface, the next merge first.
type candidates []candidate

func (c candidates) Len() int      { return len(c) }
func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c candidates) Less(i, j int) bool {
	if c[i].rank != c[j].rank {
		return c[i].rank < c[j].rank
	}
	return c[i].at < c[j].at
}
func (c *candidates) Push(x any) { *c = append(*c, x.(candidate)) }
func (c *candidates) Pop() any {
	last := len(*c) - 1
	x := (*c)[last]
	*c = (*c)[:last]
	return x
}
