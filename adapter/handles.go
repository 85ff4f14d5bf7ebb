package adapter

// handles gives objects the ids by which a client asks for them: frames, and
// what has variables. Ids start at 1 and are never used twice in a session, so
// that a stale one finds nothing, and not another object.
type handles[T any] struct {
	last int
	live map[int]T
}

// add returns a new id for an object.
func (h *handles[T]) add(object T) int {
	if h.live == nil {
		h.live = map[int]T{}
	}
	h.last++
	h.live[h.last] = object
	return h.last
}

// get returns the object with an id that is still valid.
func (h *handles[T]) get(id int) (T, bool) {
	object, ok := h.live[id]
	return object, ok
}

// update puts what f makes of them behind all ids that are valid.
func (h *handles[T]) update(f func(T) T) {
	for id, object := range h.live {
		h.live[id] = f(object)
	}
}

// forget makes all ids stale.
func (h *handles[T]) forget() { h.live = nil }
