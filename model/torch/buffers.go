package torch

// buffers are long-lived tensors by name, for the intermediate results of
// training steps. One grows when a step needs more and is never given back:
// its pages are touched once, not in every step.
type buffers struct {
	on     device
	byName map[string]buffer
}

type buffer struct {
	tensor tensor
	size   int64
	kind   kind
}

// growth is how much more than asked for a new buffer holds, as batches differ.
const growth = 1.15

// flat returns a vector of at least n numbers, whose values are what the last
// user left: finite, zero at first.
func (b *buffers) flat(s *scope, name string, k kind, n int64) tensor {
	if s.err != nil {
		return tensor{}
	}
	old := b.byName[name]
	if old.tensor.defined() && old.size >= n && old.kind == k {
		return old.tensor
	}
	old.tensor.release()
	delete(b.byName, name)
	size := int64(float64(n) * growth)
	t := s.detach(s.zeros(k, b.on, size))
	if s.err == nil {
		if b.byName == nil {
			b.byName = map[string]buffer{}
		}
		b.byName[name] = buffer{t, size, k}
	}
	return t
}

// matrix returns a buffer as [rows, cols].
func (b *buffers) matrix(s *scope, name string, rows, cols int64) tensor {
	return s.matrix(b.flat(s, name, float32Kind, rows*cols), 0, rows, cols)
}

// bytes is the memory of all buffers.
func (b *buffers) bytes() int64 {
	var n int64
	for _, buf := range b.byName {
		n += buf.size * int64(buf.kind.size())
	}
	return n
}

func (b *buffers) release() {
	for _, buf := range b.byName {
		buf.tensor.release()
	}
	b.byName = nil
}
