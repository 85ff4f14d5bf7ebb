package torch

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// device is where tensors are and what computes with them: the CPU, or a CUDA device
// by its number from 0 up.
type device int

const cpu device = -1

// String is the device's name: "cpu", "cuda:0".
func (d device) String() string {
	if d == cpu {
		return "cpu"
	}
	return fmt.Sprintf("cuda:%d", int(d))
}

// number is how gotch says the device.
func (d device) number() int32 {
	if pretendedDevices > 0 {
		return int32(cpu)
	}
	return int32(d)
}

// pretendedDevices is the number of CUDA devices that the CPU stands for, in tests.
var pretendedDevices = 0

// place chooses the device, the number type and the context length.
func (e *Engine) place(o EngineOptions) error {
	var err error
	if e.device, err = deviceNamed(o.Device); err != nil {
		return err
	}
	asked, err := chooseKind(o.Kind, e.device)
	if err != nil {
		return err
	}
	free := o.FreeMemory
	if free == 0 {
		known := false
		if free, known = freeMemory(e.device); !known {
			free = math.MaxInt64
		}
	}
	if e.kind, e.context, err = e.config.fit(asked, e.device, free); err != nil {
		return err
	}
	// The caches of all sessions may have what is left, less a reserve for the
	// results in between and for other programs.
	f := e.config.footprint(e.kind)
	left := free - f.need(0)
	e.pool.budget = max(left-left/cacheReserve, int64(e.context)*f.position)
	return nil
}

// cacheReserve is the share of the free memory, as 1 in cacheReserve, that caches
// leave.
const cacheReserve = 4

// ResolveDevice is the name of the device that a name for an Engine stands for now:
// "auto" and "cuda" may be another one later.
func ResolveDevice(name string) (string, error) {
	d, err := deviceNamed(name)
	if err != nil {
		return "", err
	}
	return d.String(), nil
}

// deviceNamed is the device of that name.
func deviceNamed(name string) (device, error) {
	count, err := CUDADevices()
	if err != nil {
		return 0, err
	}
	return chooseDevice(name, count)
}

// chooseDevice reads a device's name, where there are count CUDA devices.
func chooseDevice(name string, count int) (device, error) {
	switch name {
	case "cpu":
		return cpu, nil
	case "", "auto":
		return freestDevice(count), nil
	case "cuda":
		name = fmt.Sprintf("cuda:%d", max(0, int(freestDevice(count))))
	}
	text, isCUDA := strings.CutPrefix(name, "cuda:")
	n, err := strconv.ParseUint(text, 10, 15)
	if !isCUDA || err != nil {
		return 0, fmt.Errorf("device %q is unknown; auto, cpu, cuda and cuda:N are known", name)
	}
	if int(n) >= count {
		have := fmt.Sprintf("LibTorch sees %d CUDA devices, numbered from 0", count)
		if count == 0 {
			have = "LibTorch sees no CUDA device; neuraldbg doctor says which LibTorch it is"
		}
		return 0, fmt.Errorf("device %s is not there: %s", name, have)
	}
	return device(n), nil
}

// freestDevice is the CUDA device with the most free memory, cpu if there is none.
func freestDevice(count int) device {
	best, most := cpu, int64(-1)
	for i := range device(count) {
		free, _, _ := deviceMemory(i)
		if free > most {
			best, most = i, free
		}
	}
	return best
}

// chooseKind reads a number type's name; 0 leaves the choice to Config.fit. A type
// that the device cannot multiply, as LibTorch's older versions cannot float16 on
// the CPU, is refused before anything is loaded.
func chooseKind(name string, on device) (kind, error) {
	if name == "" || name == "auto" {
		return 0, nil
	}
	k, ok := kindsByName[name]
	if !ok {
		return 0, fmt.Errorf("number type %q is unknown; auto, float32, bfloat16 and float16 are known", name)
	}
	err := do(func(s *scope) error {
		x := s.to(s.zeros(float32Kind, on, 2, 2), k)
		s.bmm(s.asStrided(x, 0, []int64{1, 2, 2}, []int64{4, 2, 1}), s.asStrided(x, 0, []int64{1, 2, 2}, []int64{4, 2, 1}))
		s.mv(x, s.asStrided(x, 0, []int64{2}, []int64{1}))
		s.mm(x, x)
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("this LibTorch does not compute in %s on %s (%w): choose another number type, or auto", name, on, err)
	}
	return k, nil
}

// deviceMemory is cudaMemory on LibTorch's thread.
func deviceMemory(d device) (free, total int64, ok bool) {
	_ = do(func(*scope) error {
		free, total, ok = cudaMemory(d)
		return nil
	})
	return free, total, ok
}

var kindsByName = map[string]kind{"float32": float32Kind, "bfloat16": bfloat16Kind, "float16": float16Kind}

// String is the name of a number type.
func (k kind) String() string {
	for name, known := range kindsByName {
		if known == k {
			return name
		}
	}
	return fmt.Sprintf("number type %d", int32(k))
}

// bytes is the size of a number.
func (k kind) bytes() int64 {
	switch k {
	case float16Kind, bfloat16Kind:
		return 2
	case float32Kind:
		return 4
	}
	return 8
}

// Device is the name of the device that computes: "cpu", "cuda:0".
func (e *Engine) Device() string { return e.device.String() }

// Kind is the number type of weights and products: "float32", "bfloat16".
func (e *Engine) Kind() string { return e.kind.String() }

// Threads is the number of threads that an operation uses on the CPU.
func (e *Engine) Threads() int { return e.threads }
