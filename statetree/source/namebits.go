package source

import "slices"

// nameBits is a set of the names of a code object, a bit for each index. It never
// changes.
type nameBits []uint64

func (b nameBits) has(i int) bool { return i/64 < len(b) && b[i/64]&(1<<(i%64)) != 0 }

// with returns the set with one more name.
func (b nameBits) with(i int) nameBits {
	if b.has(i) {
		return b
	}
	out := make(nameBits, max(len(b), i/64+1))
	copy(out, b)
	out[i/64] |= 1 << (i % 64)
	return out
}

// and returns the names that both sets have.
func (b nameBits) and(o nameBits) nameBits {
	out := make(nameBits, min(len(b), len(o)))
	for i := range out {
		out[i] = b[i] & o[i]
	}
	return out
}

func (b nameBits) equal(o nameBits) bool {
	if len(b) < len(o) {
		b, o = o, b
	}
	return slices.Equal(b[:len(o)], o) && !slices.ContainsFunc(b[len(o):], func(w uint64) bool { return w != 0 })
}
