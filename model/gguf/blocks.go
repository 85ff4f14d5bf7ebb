package gguf

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/neuraldbg/neuraldbg/model/torch/safetensors"
)

// Type is a number type, with the format's numbering.
type Type uint32

// The number types that are read.
const (
	F32  Type = 0
	F16  Type = 1
	Q4_0 Type = 2
	Q4_1 Type = 3
	Q8_0 Type = 8
	BF16 Type = 30
)

func (t Type) String() string {
	if b, ok := blocks[t]; ok {
		return b.name
	}
	return fmt.Sprintf("number %d", uint32(t))
}

// block is how a run of numbers is stored.
type block struct {
	name    string
	numbers int64
	bytes   int64
	// widen reads the block src into dst.
	widen func(dst []float32, src []byte)
}

// quantised is how many numbers share a scale.
const quantised = 32

var blocks = map[Type]block{
	F32: {"F32", 1, 4, func(dst []float32, src []byte) {
		dst[0] = math.Float32frombits(binary.LittleEndian.Uint32(src))
	}},
	F16: {"F16", 1, 2, func(dst []float32, src []byte) { dst[0] = half(src) }},
	BF16: {"BF16", 1, 2, func(dst []float32, src []byte) {
		dst[0] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(src)) << 16)
	}},
	// A scale, then the low four bits of the first and the high four of the
	// second half: scale * (q - 8).
	Q4_0: {"Q4_0", quantised, 18, func(dst []float32, src []byte) {
		scale := half(src)
		for i, b := range src[2:18] {
			dst[i] = scale * float32(int(b&15)-8)
			dst[i+quantised/2] = scale * float32(int(b>>4)-8)
		}
	}},
	// A scale and a minimum, then as Q4_0: scale * q + minimum.
	Q4_1: {"Q4_1", quantised, 20, func(dst []float32, src []byte) {
		scale, least := half(src), half(src[2:])
		for i, b := range src[4:20] {
			dst[i] = float32(scale*float32(b&15)) + least
			dst[i+quantised/2] = float32(scale*float32(b>>4)) + least
		}
	}},
	// A scale, then a byte a number: scale * q.
	Q8_0: {"Q8_0", quantised, 34, func(dst []float32, src []byte) {
		scale := half(src)
		for i, b := range src[2:34] {
			dst[i] = scale * float32(int8(b))
		}
	}},
}

func half(src []byte) float32 { return safetensors.FromFloat16(binary.LittleEndian.Uint16(src)) }

// Float32 reads the tensor's numbers, widened, in the order of Shape.
func (t Tensor) Float32() ([]float32, error) {
	raw := make([]byte, t.bytes)
	if _, err := t.file.ReadAt(raw, t.offset); err != nil {
		return nil, fmt.Errorf("read weights: %w", err)
	}
	b := blocks[t.Type]
	out := make([]float32, t.bytes/b.bytes*b.numbers)
	for i := int64(0); i < t.bytes/b.bytes; i++ {
		b.widen(out[i*b.numbers:(i+1)*b.numbers], raw[i*b.bytes:(i+1)*b.bytes])
	}
	return out, nil
}
