package setup

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestWrappersAreThoseCalled compares the list with the calls in model/torch.
func TestWrappersAreThoseCalled(t *testing.T) {
	files, err := filepath.Glob("../*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sources of model/torch: %v", err)
	}
	called := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`libtch\.(Atg\w+)`).FindAllStringSubmatch(string(text), -1) {
			called[m[1]] = true
		}
	}
	for name := range called {
		if !slices.Contains(wrapperNames(), name) {
			t.Errorf("%s is called but not in the list", name)
		}
	}
	for _, name := range wrapperNames() {
		if !called[name] {
			t.Errorf("%s is in the list but not called", name)
		}
	}
	if !slices.IsSortedFunc(wrappers, func(a, b wrapper) int {
		return strings.Compare(strings.ToLower(a.Go), strings.ToLower(b.Go))
	}) {
		t.Error("the list is not sorted")
	}
}

func TestCNames(t *testing.T) {
	for goName, want := range map[string]string{
		"AtgMmOut":               "atg_mm_out",
		"Atg_SoftmaxOut":         "atg__softmax_out",
		"AtgScaledDotProduct":    "atg_scaled_dot_product",
		"AtgSiluBackwardGrad":    "atg_silu_backward_grad",
		"Atg_LogSoftmaxBackward": "atg__log_softmax_backward",
	} {
		if got := (wrapper{Go: goName}).c(); got != want {
			t.Errorf("C name of %s is %s, want %s", goName, got, want)
		}
	}
}
