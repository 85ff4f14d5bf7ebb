package setup

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
)

// gotchVersion must be exact: the module proxy refuses to list gotch's versions.
const gotchVersion = "v0.9.1"

const gotchPath = "github.com/sugarme/gotch"

// download fetches gotch into the module cache and returns its folder.
func download(ctx context.Context, root string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", gotchPath+"@"+gotchVersion)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOWORK=off") // go.work may name a copy that is not there yet
	out, err := cmd.Output()
	var module struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &module); jsonErr != nil || module.Error != "" || err != nil {
		return "", fmt.Errorf("download %s@%s (is the module proxy reachable?): %s %v", gotchPath, gotchVersion, module.Error, err)
	}
	return module.Dir, nil
}

// copyGotch makes, from the module in source, the trimmed module in dst.
func copyGotch(source, dst string, lib Library) error {
	if err := os.RemoveAll(dst); err != nil {
		return err
	}
	for _, dir := range []string{"libtch", "probe"} {
		if err := os.MkdirAll(filepath.Join(dst, dir), 0o755); err != nil {
			return err
		}
	}
	in := &reader{dir: source}
	files, err := trimmed(in, lib)
	if err != nil {
		return err
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if err := writeFile(filepath.Join(dst, name), []byte(files[name])); err != nil {
			return err
		}
	}
	return nil
}

// trimmed returns the files of the copy by their names.
func trimmed(in *reader, lib Library) (map[string]string, error) {
	keep := map[string]bool{}
	for _, w := range wrappers {
		keep[w.Go] = true
	}
	goSource, cppSource := in.read("libtch/c-generated.go"), in.read("libtch/torch_api_generated.cpp.h")
	if in.err != nil {
		return nil, in.err
	}
	goText, cNames, err := pruneGo("c-generated.go", []byte(goSource), keep)
	if err != nil {
		return nil, err
	}
	cpp := pruneCPP(cppSource, cNames)
	for _, w := range wrappers {
		if !strings.Contains(string(goText), "func "+w.Go+"(") {
			return nil, fmt.Errorf("gotch %s has no wrapper %s", gotchVersion, w.Go)
		}
		if w.Major == 0 || lib.atLeast(w.Major, w.Minor) {
			continue
		}
		message := fmt.Sprintf("LibTorch %s does not have this operation, %d.%d does", lib.Version, w.Major, w.Minor)
		if cpp, err = replaceBody(cpp, w.c(), message); err != nil {
			return nil, err
		}
	}
	files := map[string]string{
		"LICENSE":                          in.read("LICENSE"),
		"go.mod":                           "module " + gotchPath + "\n\ngo 1.20\n",
		"probe/main.go":                    probeSource,
		"libtch/lib.go":                    flags(lib),
		"libtch/c-generated.go":            string(goText),
		"libtch/torch_api_generated.h":     pruneHeader(in.read("libtch/torch_api_generated.h"), cNames),
		"libtch/torch_api_generated.cpp.h": cpp,
	}
	files["libtch/torch_api.cpp"] = in.read("libtch/torch_api.cpp") + describeSource
	for _, name := range []string{
		"device.go", "pointer-store.go", "scalar.go", "tensor.go", "torch_api.h",
		"stb_image.h", "stb_image_resize.h", "stb_image_write.h",
	} {
		files["libtch/"+name] = in.read("libtch/" + name)
	}
	return files, in.err
}

// describeSource is added to the copy: gotch has no way to ask what LibTorch is.
const describeSource = `
// The version, and then the text of at::show_config.
extern "C" char *at_describe() {
  PROTECT(return strdup((std::string(TORCH_VERSION "\n") + at::show_config()).c_str());)
  return nullptr;
}
`

// reader reads files below dir and remembers the first failure.
type reader struct {
	dir string
	err error
}

func (r *reader) read(path string) string {
	text, err := os.ReadFile(filepath.Join(r.dir, path))
	if err != nil && r.err == nil {
		r.err = err
	}
	return string(text)
}

// flags is the file with the cgo flags for lib. The library's folder becomes
// the run path, so that programs start without LD_LIBRARY_PATH.
func flags(lib Library) string {
	standard := "c++17"
	if lib.atLeast(2, 9) {
		standard = "c++20"
	}
	abi := 0
	if lib.CXX11 {
		abi = 1
	}
	include := ""
	for _, dir := range lib.Include {
		include += " " + quote("-I"+dir)
	}
	libs := "-ltorch -ltorch_cpu -lc10"
	if lib.CUDA {
		// Nothing refers to the CUDA libraries; they register themselves.
		libs = "-Wl,--no-as-needed -ltorch_cuda -lc10_cuda -Wl,--as-needed " + libs
	}
	return fmt.Sprintf(`package libtch

// #cgo LDFLAGS: %s %s %s -lstdc++
// #cgo CFLAGS: -I${SRCDIR} -O2 -w
// #cgo CXXFLAGS: -std=%s -I${SRCDIR} -O2 -w -D_GLIBCXX_USE_CXX11_ABI=%d%s
import "C"
`, quote("-L"+lib.Lib), quote("-Wl,-rpath,"+lib.Lib), libs, standard, abi, include)
}

// quote makes one argument of a cgo flag line from text that may hold spaces.
func quote(flag string) string {
	if strings.ContainsAny(flag, " \t") {
		return `"` + flag + `"`
	}
	return flag
}

// probeSource is a program that shows that the library links, loads and computes.
const probeSource = `// Command probe checks that LibTorch links, loads and computes.
package main

import (
	"fmt"
	"os"
	"unsafe"

	"github.com/sugarme/gotch/libtch"
)

func main() {
	data := []float32{1, 2, 3, 4}
	t := libtch.AtTensorOfData(unsafe.Pointer(&data[0]), []int64{2, 2}, 2, 4, 6)
	var product libtch.Ctensor
	libtch.AtgMm(&product, t, t)
	if product == nil {
		fmt.Println("a matrix product failed")
		os.Exit(1)
	}
	libtch.AtCopyData(product, unsafe.Pointer(&data[0]), 4, 4)
	if data != nil && (data[0] != 7 || data[3] != 22) {
		fmt.Println("a matrix product is wrong:", data)
		os.Exit(1)
	}
	fmt.Print("ok")
}
`

// probe compiles the copy and runs its check.
func probe(ctx context.Context, root string) error {
	bin := filepath.Join(root, Dir, "probe")
	defer os.Remove(bin)
	cmd := exec.CommandContext(ctx, "go", "build", "-o", bin, gotchPath+"/probe")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOWORK="+filepath.Join(root, "go.work"))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compile against this LibTorch: %w\n%s", err, tail(string(out), 20))
	}
	if out, err := exec.CommandContext(ctx, bin).CombinedOutput(); err != nil || string(out) != "ok" {
		return fmt.Errorf("run with this LibTorch: %v\n%s", err, tail(string(out), 5))
	}
	return nil
}
