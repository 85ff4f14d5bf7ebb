package torch

import (
	"strings"
	"testing"
)

func TestChooseDevice(t *testing.T) {
	for _, test := range []struct {
		name  string
		count int
		want  device
		err   string
	}{
		{"cpu", 2, cpu, ""},
		{"", 0, cpu, ""},
		{"auto", 0, cpu, ""},
		{"cuda:1", 2, 1, ""},
		{"cuda:2", 2, 0, "sees 2 CUDA devices"},
		{"cuda:0", 0, 0, "sees no CUDA device"},
		{"cuda", 0, 0, "sees no CUDA device"},
		{"cuda:-1", 2, 0, "unknown"},
		{"cuda:", 2, 0, "unknown"},
		{"cuda:1x", 2, 0, "unknown"},
		{"tpu", 2, 0, "auto, cpu, cuda and cuda:N are known"},
	} {
		got, err := chooseDevice(test.name, test.count)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%q of %d: the error is %v, want %q in it", test.name, test.count, err, test.err)
			}
		} else if err != nil || got != test.want {
			t.Errorf("%q of %d: %d, %v; want %d", test.name, test.count, got, err, test.want)
		}
	}
}

// needCUDA skips a test where there is no CUDA device.
func needCUDA(t *testing.T) {
	t.Helper()
	n, err := CUDADevices()
	if err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		t.Skip("LibTorch sees no CUDA device")
	}
}

// someDevice is a CUDA device. Where there is none the CPU stands for it, so that what
// runs on one is tested everywhere: tensors of two devices still must not meet.
func someDevice(t *testing.T) device {
	t.Helper()
	n, err := CUDADevices()
	if err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		pretendDevices(t)
	}
	return 0
}

// pretendDevices lets the CPU stand for two CUDA devices.
func pretendDevices(t *testing.T) {
	t.Helper()
	was := pretendedDevices
	pretendedDevices = 2
	t.Cleanup(func() { pretendedDevices = was })
}

// TestDeviceEqualsTransformers is TestLogitsEqualTransformers on a CUDA device, with the
// tolerance that its sums in another order need.
func TestDeviceEqualsTransformers(t *testing.T) {
	on := someDevice(t)
	for _, name := range transformersCheckpoints {
		dir := transformersFolder + "/" + name
		want := readExpectation(t, dir)
		e := openEngine(t, dir, EngineOptions{Device: on.String(), Kind: "float32"})
		cache := newCache(t, e)
		half := len(want.tokens) / 2
		got := extend(t, cache, want.tokens[:half], 0)
		for _, id := range want.tokens[half:] {
			got = append(got, extend(t, cache, []int32{id}, 0)...)
		}
		if d := difference(got, want.logits); d > 1e-3 {
			t.Errorf("%s: logits differ by %g", name, d)
		}
	}
}

// TestCUDAMemoryIsFreed checks that a closed engine gives back what it took.
func TestCUDAMemoryIsFreed(t *testing.T) {
	needCUDA(t)
	e, err := OpenRandomEngine(large(), EngineOptions{Device: "cuda:0"})
	if err != nil {
		t.Fatal(err)
	}
	if e.Kind() != "bfloat16" {
		t.Errorf("the number type is %s", e.Kind())
	}
	cache := newCache(t, e)
	extend(t, cache, []int32{1, 2, 3}, 0)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	// LibTorch keeps freed memory for itself; a second engine must find it.
	again, err := OpenRandomEngine(large(), EngineOptions{Device: "cuda:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	extend(t, newCache(t, again), []int32{1, 2, 3}, 0)
}

// A number type that is none, or that the device cannot compute in, is told before
// anything is loaded.
func TestChooseKind(t *testing.T) {
	for name, want := range map[string]kind{"": 0, "auto": 0, "float32": float32Kind, "bfloat16": bfloat16Kind} {
		if got, err := chooseKind(name, cpu); got != want || err != nil {
			t.Errorf("%q is %v, %v", name, got, err)
		}
	}
	if _, err := chooseKind("int8", cpu); err == nil || !strings.Contains(err.Error(), `"int8" is unknown; auto, float32`) {
		t.Errorf("int8: %v", err)
	}
	// LibTorch learned float16 on the CPU in 2.x: either it computes, or it says so.
	dir, _ := writeCheckpoint(t, tinyConfig())
	e, err := OpenEngine(dir, EngineOptions{Device: "cpu", Kind: "float16"})
	if err != nil {
		if !strings.Contains(err.Error(), "does not compute in float16 on cpu") {
			t.Errorf("float16: %v", err)
		}
		return
	}
	defer e.Close()
	extend(t, newCache(t, e), []int32{1, 2, 3}, 0)
}
