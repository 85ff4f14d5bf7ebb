package safetensors

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestWriteAndRead(t *testing.T) {
	data := []float32{0, 1, -2.5, 0.333251953125, 65504, -0.0001}
	tolerance := map[string]float64{"": 0, "F32": 0, "F16": 1.0 / 2048, "BF16": 1.0 / 256}
	for dtype, relative := range tolerance {
		path := filepath.Join(t.TempDir(), "model.safetensors")
		entries := []Entry{
			{Name: "a", Shape: []int{2, 3}, Data: data, DType: dtype},
			{Name: "b", Shape: []int{1}, Data: []float32{7}, DType: dtype},
		}
		if err := Write(path, entries, map[string]string{"format": "pt"}); err != nil {
			t.Fatal(err)
		}
		archive, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer archive.Close()
		if archive.Metadata["format"] != "pt" || strings.Join(archive.Names(), " ") != "a b" {
			t.Errorf("%q: read metadata %v and tensors %v", dtype, archive.Metadata, archive.Names())
		}
		got, err := archive.Tensors["a"].Float32()
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range data {
			if math.Abs(float64(got[i]-want)) > relative*math.Abs(float64(want)) {
				t.Errorf("%q: number %d is %v, want %v", dtype, i, got[i], want)
			}
		}
	}
}

func TestConvert(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	entry := Entry{Name: "a", Shape: []int{2, 2}, Data: []float32{1, -2, 0.5, 4}}
	if err := Write(from, []Entry{entry}, map[string]string{"format": "pt"}); err != nil {
		t.Fatal(err)
	}
	if err := Convert(to, from, "F16"); err != nil {
		t.Fatal(err)
	}
	archive, err := Open(to)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	got := archive.Tensors["a"]
	data, err := got.Float32()
	if err != nil {
		t.Fatal(err)
	}
	if got.DType != "F16" || !slices.Equal(got.Shape, entry.Shape) || !slices.Equal(data, entry.Data) || archive.Metadata["format"] != "pt" {
		t.Errorf("got %s %v %v with metadata %v", got.DType, got.Shape, data, archive.Metadata)
	}
}

func TestWriteRefuses(t *testing.T) {
	tests := map[string][]Entry{
		"has 2 numbers for shape": {{Name: "a", Shape: []int{3}, Data: []float32{1, 2}}},
		"two tensors are named a": {{Name: "a"}, {Name: "a"}},
		"cannot be written as I8": {{Name: "a", Shape: []int{1}, Data: []float32{1}, DType: "I8"}},
	}
	tests["two tensors are named a"][0].Data = []float32{1} // a scalar: no dimensions, one number
	tests["two tensors are named a"][1].Data = []float32{1}
	for want, entries := range tests {
		if err := Write(filepath.Join(t.TempDir(), "x"), entries, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

// TestHalfPrecisionRoundTrip goes through all 65,536 half-precision numbers.
// Linux's /dev/full has room for nothing.
func TestWriteOnFullDisk(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip(err)
	}
	err := Write(full, []Entry{{Name: "x", Shape: []int{1 << 20}, Data: make([]float32, 1<<20)}}, nil)
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), full) {
		t.Errorf("error is %v", err)
	}
}

func TestHalfPrecisionRoundTrip(t *testing.T) {
	for h := range 1 << 16 {
		v := FromFloat16(uint16(h))
		if v != v {
			if back := FromFloat16(toFloat16(v)); back == back {
				t.Fatalf("%#04x is not a number, but comes back as %v", h, back)
			}
			continue
		}
		if back := toFloat16(v); back != uint16(h) {
			t.Fatalf("%#04x is %v and comes back as %#04x", h, v, back)
		}
	}
}

func TestRounding(t *testing.T) {
	tests := []struct {
		v       float32
		half, b uint16
	}{
		{1, 0x3c00, 0x3f80},
		{1 + 1.0/2048, 0x3c00, 0x3f80},              // half-way: to even
		{1 + 3.0/2048, 0x3c02, 0x3f80},              // half-way: to even
		{1 + 1.0/2048 + 1e-6, 0x3c01, 0x3f80},       // above half-way
		{65520, 0x7c00, 0x4780},                     // half-way to what float16 has not
		{1e30, 0x7c00, 0x714a},                      // too large
		{float32(math.Inf(-1)), 0xfc00, 0xff80},     //
		{5.9604645e-8, 0x0001, 0x3380},              // the least subnormal
		{2.9802322e-8, 0x0000, 0x3300},              // half of it
		{-1e-30, 0x8000, 0x8da2},                    // too small
		{1 + 1.0/256 + 1.0/(1<<23), 0x3c04, 0x3f81}, // just above half-way for bfloat16
		{float32(1) - 1.0/(1<<20), 0x3c00, 0x3f80},  // carries into the exponent
	}
	for _, test := range tests {
		if got := toFloat16(test.v); got != test.half {
			t.Errorf("float16 of %v is %#04x, want %#04x", test.v, got, test.half)
		}
		if got := toBFloat16(test.v); got != test.b {
			t.Errorf("bfloat16 of %v is %#04x, want %#04x", test.v, got, test.b)
		}
	}
	if got := toBFloat16(float32(math.NaN())); math.Float32frombits(uint32(got)<<16) == math.Float32frombits(uint32(got)<<16) {
		t.Errorf("bfloat16 of NaN is %#04x, a number", got)
	}
}

func TestDamagedFiles(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole")
	if err := Write(whole, []Entry{{Name: "a", Shape: []int{2}, Data: []float32{1, 2}}}, nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	long := append([]byte(nil), text...)
	binary.LittleEndian.PutUint64(long, 1<<40)
	for name, damaged := range map[string][]byte{
		"empty":             {},
		"cut in the header": text[:20],
		"cut in the data":   text[:len(text)-1],
		"endless header":    long,
		"no JSON":           append(append([]byte(nil), text[:8]...), strings.Repeat("x", len(text)-8)...),
	} {
		path := filepath.Join(t.TempDir(), "damaged")
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		archive, err := Open(path)
		if err == nil {
			archive.Close()
			t.Errorf("%s: no error", name)
		} else if !strings.Contains(err.Error(), path) {
			t.Errorf("%s: the error does not name the file: %v", name, err)
		}
	}
}
