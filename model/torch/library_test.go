package torch

import (
	"strings"
	"testing"
)

func TestDescribeLibrary(t *testing.T) {
	l, err := DescribeLibrary()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(l.Version, ".") < 2 || !strings.Contains(l.Path, "libtorch_cpu") || l.BLAS == "unknown" || l.Threads < 1 {
		t.Errorf("LibTorch is described as %+v", l)
	}
	t.Log(l)
}
