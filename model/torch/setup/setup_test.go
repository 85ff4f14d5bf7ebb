package setup

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// fakeGotch is gotch's folder with the wrappers in generatedGo only.
func fakeGotch(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "LICENSE", "licence")
	for _, name := range []string{
		"device.go", "pointer-store.go", "scalar.go", "tensor.go", "torch_api.cpp", "torch_api.h",
		"stb_image.h", "stb_image_resize.h", "stb_image_write.h",
	} {
		write(t, dir, "libtch/"+name, "// "+name)
	}
	write(t, dir, "libtch/c-generated.go", generatedGo)
	write(t, dir, "libtch/torch_api_generated.cpp.h", generatedCPP)
	write(t, dir, "libtch/torch_api_generated.h", "void atg_mm(tensor *, tensor self);\nvoid atg_mm_out(tensor *);\n")
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// onlyWrappers sets the list for one test.
func onlyWrappers(t *testing.T, list ...wrapper) {
	old := wrappers
	wrappers = list
	t.Cleanup(func() { wrappers = old })
}

func TestCopyGotch(t *testing.T) {
	onlyWrappers(t, wrapper{Go: "AtgMm"})
	dst := filepath.Join(t.TempDir(), "gotch")
	lib := Library{Lib: "/opt/lib torch/lib", Include: []string{"/opt/include"}, Version: "2.6.0", CUDA: true}
	write(t, dst, "libtch/left-over.go", "of an interrupted copy")
	if err := copyGotch(fakeGotch(t), dst, lib); err != nil {
		t.Fatal(err)
	}
	if exists(filepath.Join(dst, "libtch", "left-over.go")) {
		t.Error("an older copy's file is still there")
	}
	if got := read(t, dst, "libtch/c-generated.go"); !strings.Contains(got, "AtgMm") || strings.Contains(got, "AtgSum") {
		t.Errorf("c-generated.go is\n%s", got)
	}
	if got := read(t, dst, "libtch/torch_api_generated.cpp.h"); !strings.Contains(got, "torch::mm(") || strings.Contains(got, "mm_out") {
		t.Errorf("torch_api_generated.cpp.h is\n%s", got)
	}
	got := read(t, dst, "libtch/lib.go")
	for _, want := range []string{
		`"-L/opt/lib torch/lib"`, `"-Wl,-rpath,/opt/lib torch/lib"`, "-ltorch_cuda", "-std=c++17", "-D_GLIBCXX_USE_CXX11_ABI=0 -I/opt/include",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("lib.go lacks %s:\n%s", want, got)
		}
	}
}

func TestCopyGotchSaysWhatIsMissing(t *testing.T) {
	onlyWrappers(t, wrapper{Go: "AtgNothing"})
	if err := copyGotch(fakeGotch(t), t.TempDir(), Library{Version: "2.6.0"}); err == nil || !strings.Contains(err.Error(), "AtgNothing") {
		t.Errorf("error is %v", err)
	}
	onlyWrappers(t)
	if err := copyGotch(t.TempDir(), t.TempDir(), Library{}); err == nil || !strings.Contains(err.Error(), "c-generated.go") {
		t.Errorf("error of an empty module is %v", err)
	}
}

func TestOlderLibraryGetsAnError(t *testing.T) {
	onlyWrappers(t, wrapper{Go: "AtgMm", Major: 2})
	for version, there := range map[string]bool{"1.13.0": false, "2.0.1": true, "10.0.0": true} {
		dst := t.TempDir()
		if err := copyGotch(fakeGotch(t), dst, Library{Version: version}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(read(t, dst, "libtch/torch_api_generated.cpp.h"), "torch::mm("); got != there {
			t.Errorf("LibTorch %s: operation kept: %v, want %v", version, got, there)
		}
	}
}

func TestParseVersion(t *testing.T) {
	header := "#define TORCH_VERSION_MAJOR 2\n\n/// x\n#define TORCH_VERSION_MINOR 14\n#define TORCH_VERSION_PATCH 1\n"
	if got := parseVersion(header); got != "2.14.1" {
		t.Errorf("version is %q", got)
	}
	if got := parseVersion("#define TORCH_VERSION_MAJOR 2\n"); got != "" {
		t.Errorf("version of half a header is %q", got)
	}
}

func TestInspectSaysWhatIsMissing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("library names are Linux's")
	}
	dir := t.TempDir()
	want := func(text string) {
		t.Helper()
		if _, err := inspect(dir); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("error is %v, want %q in it", err, text)
		}
	}
	want("libtorch_cpu.so")
	write(t, dir, "lib/libtorch_cpu.so", "")
	want("torch/torch.h")
	write(t, dir, "include/torch/csrc/api/include/torch/torch.h", "")
	want("version.h")
	write(t, dir, "include/torch/csrc/api/include/torch/version.h",
		"#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR 6\n#define TORCH_VERSION_PATCH 0\n")
	want("libc10.so")
}

func TestChosenLibraryMustBeOne(t *testing.T) {
	t.Setenv("LIBTORCH", t.TempDir())
	var out bytes.Buffer
	err := Run(context.Background(), Options{Root: t.TempDir(), Out: &out})
	if err == nil || !strings.Contains(err.Error(), "LIBTORCH is set to") {
		t.Errorf("error is %v", err)
	}
}

func TestSecondRunHasNothingToDo(t *testing.T) {
	root := t.TempDir()
	write(t, root, "go.mod", "module x\n\ngo 1.24.9\n")
	lib := Library{Root: "/opt/torch", Version: "2.6.0"}
	write(t, root, Dir+"/gotch/libtch/lib.go", "")
	stamped := stamp{layout, gotchVersion, runtime.Version(), lib, wrapperNames(), []Library{{Root: "/opt/broken", Version: "2.5.0"}}}
	if err := saveStamp(filepath.Join(root, Dir, stampFile), stamped); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := use(context.Background(), Options{Root: root, Out: &out}, lib, stamped.Rejected); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "nothing to do") {
		t.Errorf("said %q", out.String())
	}
	if got := read(t, root, "go.work"); !strings.Contains(got, "go 1.24.9\n") || !strings.Contains(got, "./.libtorch/gotch") {
		t.Errorf("go.work is\n%s", got)
	}
	if got := rejectedBefore(root); len(got) != 1 || !got[0].equal(stamped.Rejected[0]) {
		t.Errorf("rejected before are %v", got)
	}
	stamped.Wrappers = append(stamped.Wrappers, "AtgOther")
	if sameStamp(filepath.Join(root, Dir, stampFile), stamped) {
		t.Error("a longer list of wrappers has the same stamp")
	}
}
