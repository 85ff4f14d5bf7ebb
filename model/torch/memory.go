package torch

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// footprint is the memory that an engine needs, in bytes. It is worked out
// before anything is loaded.
type footprint struct {
	weights int64
	// loading is what is needed besides while the largest matrix is read.
	loading int64
	// position is what a session needs for each position of its context.
	position int64
}

// footprint of a model in a number type. The weights are those in memory: a
// tied head is a matrix of its own there.
func (c Config) footprint(k kind) footprint {
	var f footprint
	var largest int64
	for _, w := range c.weights() {
		f.weights += int64(w.size()) * k.bytes()
		largest = max(largest, int64(w.size()))
	}
	if c.TieWordEmbeddings {
		f.weights += int64(c.VocabSize) * int64(c.HiddenSize) * k.bytes()
	}
	// Two matrices that are joined are there as read, joined, and as LibTorch's
	// copy, in float32.
	f.loading = 4 * 4 * largest
	f.position = int64(c.NumHiddenLayers)*c.cacheWidth()*k.bytes() + ropeBytes(c)
	return f
}

// ropeBytes is a position's row of the table of rotations.
func ropeBytes(c Config) int64 { return int64(c.HeadDim/2) * 8 }

// need is the memory for one session of n positions.
func (f footprint) need(n int) int64 { return f.weights + f.loading + int64(n)*f.position }

// fits is how many positions a session can have in the given memory.
func (f footprint) fits(free int64) int {
	return int(max(0, free-f.weights-f.loading) / f.position)
}

// leastContext is the context that a model is loaded for at least: a shorter one
// does not hold a program and some states.
const leastContext = 2048

// fit chooses the number type, unless it was asked for, and the context length
// that fit into free bytes. A context shorter than the model's own is no error
// as long as it is of use.
func (c Config) fit(asked kind, on device, free int64) (k kind, context int, err error) {
	least := min(leastContext, c.MaxPositionEmbeddings)
	kinds := []kind{asked}
	if asked == 0 {
		kinds = defaultKinds(on)
	}
	for _, k := range kinds {
		if n := c.footprint(k).fits(free); n >= least {
			return k, min(n, c.MaxPositionEmbeddings), nil
		}
	}
	return 0, 0, c.tooLarge(kinds[len(kinds)-1], on, least, free)
}

// defaultKinds are the number types to try, the best first: on the CPU the exact one,
// though bfloat16 decodes quicker.
func defaultKinds(on device) []kind {
	if on == cpu {
		return []kind{float32Kind, bfloat16Kind}
	}
	return []kind{bfloat16Kind}
}

// tooLarge says what is needed, what there is, and what would fit.
func (c Config) tooLarge(k kind, on device, context int, free int64) error {
	f := c.footprint(k)
	message := fmt.Sprintf("the model needs %s of memory on %s in %s (%s of weights, %s to load them, %s for a context of %d tokens), and %s are free",
		gigabytes(f.need(context)), on, k, gigabytes(f.weights), gigabytes(f.loading), gigabytes(int64(context)*f.position), context, gigabytes(free))
	smaller := c.footprint(bfloat16Kind)
	switch {
	case k.bytes() > bfloat16Kind.bytes() && smaller.fits(free) >= context:
		message += fmt.Sprintf("; in bfloat16 it fits, with %s", gigabytes(smaller.need(context)))
	case k.bytes() > bfloat16Kind.bytes():
		message += fmt.Sprintf("; in bfloat16 it needs %s", gigabytes(smaller.need(context)))
	}
	if n := f.fits(free); n > 0 {
		message += fmt.Sprintf("; a context of %d tokens fits", n)
	}
	return fmt.Errorf("%s. Free memory, take a smaller model or another device, or serve it elsewhere and give its http address", message)
}

func gigabytes(n int64) string { return fmt.Sprintf("%.1f GB", float64(n)/1e9) }

// freeMemory is what a device can give, in bytes; ok is false where that is not
// known.
func freeMemory(d device) (free int64, ok bool) {
	if d == cpu {
		return freeSystemMemory("/")
	}
	free, _, ok = deviceMemory(d)
	return free, ok
}

// freeSystemMemory is what Linux says is available, within the limit of the
// control group. root is the root of the file system.
func freeSystemMemory(root string) (free int64, ok bool) {
	text, err := os.ReadFile(filepath.Join(root, "proc/meminfo"))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		var kilobytes int64
		if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kilobytes); n == 1 {
			free, ok = kilobytes*1024, true
		}
	}
	limit, limited := readNumber(filepath.Join(root, "sys/fs/cgroup/memory.max"))
	used, known := readNumber(filepath.Join(root, "sys/fs/cgroup/memory.current"))
	if ok && limited && known {
		free = max(0, min(free, limit-used))
	}
	return free, ok
}

func readNumber(path string) (n int64, ok bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err = strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}
