package torch

import (
	"errors"
	"fmt"
	"time"
)

// DecodeTraffic is how many bytes of memory one token after a context of that
// many reads: every matrix, one row of the embedding, the cached keys and values.
func (e *Engine) DecodeTraffic(context int) int64 {
	numbers := e.head.rows*e.head.cols + int64(e.config.HiddenSize)
	for i := range e.layers {
		l := &e.layers[i]
		for _, m := range []linear{l.q, l.kv, l.out, l.gateUp, l.down} {
			numbers += m.rows * m.cols
		}
		positions := int64(context)
		if l.window > 0 {
			positions = min(positions, l.window)
		}
		numbers += positions * e.config.cacheWidth()
	}
	return numbers * e.kind.bytes()
}

// readBytes is the size of what ReadBandwidth reads: more than caches hold.
const readBytes = 256 << 20

// ReadBandwidth measures how fast the engine's device reads memory, in bytes a
// second: the best of some sums of a large vector.
func (e *Engine) ReadBandwidth() (_ float64, err error) {
	var best time.Duration
	defer func() { err = errors.Join(err, setThreads(e.threads, e.kind)) }()
	err = e.do(func(s *scope) error {
		setNumThreads(e.threads, e.threads) // a sum is a loop
		x := s.zeros(float32Kind, e.device, readBytes/4)
		for i := range 8 {
			mark, began := s.mark(), time.Now()
			s.item(s.total(x)) // waits for the result
			if took := time.Since(began); i == 1 || i > 1 && took < best {
				best = took
			}
			s.freeTo(mark)
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("measure the memory's bandwidth: %w", err)
	}
	return readBytes / best.Seconds(), nil
}
