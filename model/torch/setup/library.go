package setup

import (
	"context"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// Library is one LibTorch on this machine.
type Library struct {
	Source  string   // how it was found: "$LIBTORCH", "Python", "system"
	Root    string   // folder that it was found in
	Lib     string   // folder of libtorch_cpu
	Include []string // folders for the compiler
	Version string   // "2.6.0"
	CXX11   bool     // built with the C++11 ABI of libstdc++
	CUDA    bool     // has libtorch_cuda
	Changed int64    // time of last change of libtorch_cpu, Unix seconds
	Chosen  bool     // by $LIBTORCH: nothing else is tried
}

func (l Library) String() string {
	device := "CPU only"
	if l.CUDA {
		device = "with CUDA"
	}
	return fmt.Sprintf("LibTorch %s, %s, in %s (%s)", l.Version, device, l.Root, l.Source)
}

// equal reports whether l and other are the same files.
func (l Library) equal(other Library) bool {
	return l.Root == other.Root && l.Version == other.Version && l.Changed == other.Changed
}

// atLeast reports whether the library's version is major.minor or newer.
func (l Library) atLeast(major, minor int) bool {
	parts := strings.SplitN(l.Version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	ma, err1 := strconv.Atoi(parts[0])
	mi, err2 := strconv.Atoi(parts[1])
	return err1 == nil && err2 == nil && (ma > major || ma == major && mi >= minor)
}

// find lists the LibTorches to try, best first: the one that $LIBTORCH names,
// the one inside an importable Python torch (it brings CUDA where there is
// any), the system's. With none it installs Debian's where that is possible.
func find(ctx context.Context, o Options) ([]Library, error) {
	if dir := os.Getenv("LIBTORCH"); dir != "" {
		lib, err := inspect(dir)
		if err != nil {
			return nil, fmt.Errorf("LIBTORCH is set to %s, which is no LibTorch: %w", dir, err)
		}
		lib.Source, lib.Chosen = "$LIBTORCH", true
		return []Library{lib}, nil
	}
	var found []Library
	if dir := pythonTorch(ctx); dir != "" {
		if lib, err := inspect(dir); err == nil {
			lib.Source = "Python"
			found = append(found, lib)
		} else {
			fmt.Fprintf(o.Out, "libtorch: Python's torch in %s is left out: %v\n", dir, err)
		}
	}
	system := systemLibraries()
	if found = append(found, system...); len(found) > 0 {
		if len(system) > 0 && slowBLAS(system[0]) {
			speedUp(ctx, o)
		}
		return found, nil
	}
	if !o.Install {
		return nil, fmt.Errorf("no LibTorch on this machine; %s", installHint())
	}
	if err := install(ctx, o.Out); err != nil {
		return nil, err
	}
	if found = systemLibraries(); len(found) == 0 {
		return nil, fmt.Errorf("the packages were installed but no LibTorch is found; set LIBTORCH to its folder")
	}
	return found, nil
}

// pythonTorch returns the folder of an importable torch package, or "". It asks
// where the package is without importing it, which would take seconds.
func pythonTorch(ctx context.Context) string {
	const script = `import importlib.util as u, os
s = u.find_spec("torch")
print(os.path.dirname(s.origin) if s and s.origin else "")`
	for _, name := range []string{"python3", "python"} {
		out, err := exec.CommandContext(ctx, name, "-c", script).Output()
		if err == nil {
			return strings.TrimSpace(string(out))
		}
	}
	return ""
}

func systemLibraries() []Library {
	var found []Library
	for _, dir := range []string{"/usr/local/libtorch", "/opt/libtorch", "/usr/local", "/usr", "/opt/homebrew/opt/pytorch"} {
		if lib, err := inspect(dir); err == nil {
			lib.Source = "system"
			found = append(found, lib)
		}
	}
	return found
}

// inspect describes the LibTorch below root.
func inspect(root string) (Library, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return Library{}, err
	}
	lib := Library{Root: root}
	name := "libtorch_cpu.so"
	if runtime.GOOS == "darwin" {
		name = "libtorch_cpu.dylib"
	}
	folders := []string{filepath.Join(root, "lib")}
	if triplets, err := filepath.Glob(filepath.Join(root, "lib", "*-linux-gnu*")); err == nil {
		folders = append(folders, triplets...)
	}
	for _, dir := range folders {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
			lib.Lib, lib.Changed = dir, info.ModTime().Unix()
			lib.CUDA = exists(filepath.Join(dir, "libtorch_cuda.so"))
			break
		}
	}
	if lib.Lib == "" {
		return Library{}, fmt.Errorf("there is no %s in %s", name, strings.Join(folders, " or "))
	}
	include := filepath.Join(root, "include")
	api := filepath.Join(include, "torch", "csrc", "api", "include")
	if !exists(filepath.Join(api, "torch", "torch.h")) {
		return Library{}, fmt.Errorf("there is no torch/torch.h in %s", api)
	}
	lib.Include = []string{api}
	if include != "/usr/include" { // naming it would reorder the compiler's own search
		lib.Include = []string{include, api}
	}
	if lib.Version, err = headerVersion(include); err != nil {
		return Library{}, err
	}
	if lib.CXX11, err = usesCXX11(lib.Lib); err != nil {
		return Library{}, err
	}
	return lib, nil
}

var versionDefine = regexp.MustCompile(`(?m)^#define TORCH_VERSION_(MAJOR|MINOR|PATCH) (\d+)`)

// headerVersion reads the version from version.h, whose place has moved.
func headerVersion(include string) (string, error) {
	for _, path := range []string{
		"torch/headeronly/version.h",
		"torch/csrc/api/include/torch/version.h",
	} {
		text, err := os.ReadFile(filepath.Join(include, path))
		if err != nil {
			continue
		}
		if v := parseVersion(string(text)); v != "" {
			return v, nil
		}
	}
	return "", fmt.Errorf("no version.h below %s tells the version", include)
}

func parseVersion(header string) string {
	part := map[string]string{}
	for _, m := range versionDefine.FindAllStringSubmatch(header, -1) {
		part[m[1]] = m[2]
	}
	if len(part) != 3 {
		return ""
	}
	return part["MAJOR"] + "." + part["MINOR"] + "." + part["PATCH"]
}

// usesCXX11 tells from a library's symbols which of libstdc++'s two string
// types it was compiled with. Code that links to it must use the same.
func usesCXX11(dir string) (bool, error) {
	if runtime.GOOS != "linux" {
		return true, nil
	}
	path := filepath.Join(dir, "libc10.so")
	file, err := elf.Open(path)
	if err != nil {
		return false, fmt.Errorf("read %s: %w", path, err)
	}
	defer file.Close()
	symbols, err := file.DynamicSymbols()
	if err != nil {
		return false, fmt.Errorf("read the symbols of %s: %w", path, err)
	}
	for _, s := range symbols {
		// void c10::detail::torchCheckFail(…, const std::string&); other symbols
		// may come from libstdc++, which has both.
		if strings.HasPrefix(s.Name, "_ZN3c106detail14torchCheckFailE") && strings.Contains(s.Name, "__cxx11") {
			return true, nil
		}
	}
	return false, nil
}

// compiler returns the C++ compiler that cgo will call.
func compiler() (string, error) {
	name := os.Getenv("CXX")
	if name == "" {
		name = "g++"
		if runtime.GOOS == "darwin" {
			name = "clang++"
		}
	}
	path, err := exec.LookPath(strings.Fields(name)[0])
	if err != nil {
		return "", fmt.Errorf("no C++ compiler (%s); install one, on Debian with: sudo apt-get install -y g++", name)
	}
	return path, nil
}
