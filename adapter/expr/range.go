package expr

import (
	"fmt"

	"go.starlark.net/starlark"
)

// rangeValue is a range. Its bounds fit machine integers, and so does its length.
type rangeValue struct{ start, stop, step int }

// maxBound is how far from zero the bounds of a range may be.
const maxBound = 1 << 60

func newRange(bounds []starlark.Value) (starlark.Value, error) {
	r := [3]int{0, 0, 1}
	for i, b := range bounds {
		n, err := asInt(b)
		if err != nil {
			return nil, err
		}
		if n > maxBound || n < -maxBound {
			return nil, unsupported("a range this large is not supported")
		}
		r[i] = n
	}
	if len(bounds) == 1 {
		r[0], r[1] = 0, r[0]
	}
	if r[2] == 0 {
		return nil, valueError("range() arg 3 must not be zero")
	}
	return rangeValue{r[0], r[1], r[2]}, nil
}

// String is the repr.
func (v rangeValue) String() string {
	if v.step == 1 {
		return fmt.Sprintf("range(%d, %d)", v.start, v.stop)
	}
	return fmt.Sprintf("range(%d, %d, %d)", v.start, v.stop, v.step)
}

// Type is Python's.
func (v rangeValue) Type() string { return "range" }

// Freeze does nothing.
func (v rangeValue) Freeze() {}

// Truth says whether the range has elements.
func (v rangeValue) Truth() starlark.Bool { return v.count() > 0 }

// Hash is not used.
func (v rangeValue) Hash() (uint32, error) { return 0, errNoHash }

func (v rangeValue) count() int {
	if v.step > 0 {
		if v.start >= v.stop {
			return 0
		}
		return (v.stop-v.start-1)/v.step + 1
	}
	if v.start <= v.stop {
		return 0
	}
	return (v.start-v.stop-1)/-v.step + 1
}

func (v rangeValue) at(i int) int { return v.start + i*v.step }

func (v rangeValue) has(i starlark.Int) bool {
	n, ok := i.Int64()
	if !ok || v.count() == 0 || n > maxBound || n < -maxBound {
		return false
	}
	offset := int(n) - v.start
	return offset%v.step == 0 && offset/v.step >= 0 && offset/v.step < v.count()
}

// equal compares the numbers that two ranges are of.
func (v rangeValue) equal(w rangeValue) bool { return v.key() == w.key() }

func (v rangeValue) key() string {
	switch v.count() {
	case 0:
		return "r"
	case 1:
		return fmt.Sprintf("r%d", v.start)
	}
	return fmt.Sprintf("r%d,%d,%d", v.start, v.count(), v.step)
}
