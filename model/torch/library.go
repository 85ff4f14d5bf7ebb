package torch

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/sugarme/gotch/libtch"
)

// Library is the LibTorch that this program runs with.
type Library struct {
	Version string
	Path    string // of libtorch_cpu
	BLAS    string // what multiplies matrices, as LibTorch was built
	CPU     string // the vector instructions in use: "AVX2", "AVX512", …
	Threads int    // of an operation
	Devices []Device
}

// Device is a CUDA device.
type Device struct {
	Name        string // "cuda:0"
	Free, Total int64  // bytes; 0 if unknown
}

// String is one line for people.
func (l Library) String() string {
	text := fmt.Sprintf("LibTorch %s (%s), BLAS %s, CPU %s, %d threads", l.Version, l.Path, l.BLAS, l.CPU, l.Threads)
	if len(l.Devices) == 0 {
		return text + ", no CUDA device"
	}
	for _, d := range l.Devices {
		text += fmt.Sprintf(", %s with %.1f of %.1f GB free", d.Name, float64(d.Free)/1e9, float64(d.Total)/1e9)
	}
	return text
}

// DescribeLibrary says what LibTorch is there.
func DescribeLibrary() (Library, error) {
	devices, err := CUDADevices()
	if err != nil {
		return Library{}, err
	}
	l := Library{Version: "unknown", Path: "unknown", BLAS: "unknown", CPU: "unknown"}
	err = do(func(*scope) error {
		version, config, _ := strings.Cut(describe(), "\n")
		set := func(field *string, value string) {
			if value != "" {
				*field = value
			}
		}
		set(&l.Version, version)
		set(&l.Path, libraryPath())
		set(&l.BLAS, configured(config, blasInfo))
		set(&l.CPU, configured(config, cpuCapability))
		l.Threads = numThreads()
		for i := range devices {
			d := Device{Name: fmt.Sprintf("cuda:%d", i)}
			d.Free, d.Total, _ = cudaMemory(device(i))
			l.Devices = append(l.Devices, d)
		}
		return nil
	})
	if err != nil {
		return Library{}, fmt.Errorf("describe LibTorch: %w", err)
	}
	return l, nil
}

var (
	blasInfo      = regexp.MustCompile(`BLAS_INFO=(\w+)`)
	cpuCapability = regexp.MustCompile(`CPU capability usage: (\w+)`)
)

// configured finds a fact in at::show_config's text.
func configured(config string, fact *regexp.Regexp) string {
	if m := fact.FindStringSubmatch(config); m != nil {
		return m[1]
	}
	return ""
}

// CUDADevices is the number of CUDA devices that LibTorch can use.
func CUDADevices() (int, error) {
	if pretendedDevices > 0 {
		return pretendedDevices, nil
	}
	count := 0
	err := do(func(s *scope) error {
		if libtch.AtcCudaIsAvailable() {
			count = int(libtch.AtcCudaDeviceCount())
		}
		return lastError()
	})
	return count, err
}
