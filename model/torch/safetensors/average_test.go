package safetensors

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestAverage(t *testing.T) {
	folder := t.TempDir()
	archive := func(name string, entries ...Entry) *Archive {
		path := filepath.Join(folder, name)
		if err := Write(path, entries, map[string]string{"of": name}); err != nil {
			t.Fatal(err)
		}
		a, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { a.Close() })
		return a
	}
	a := archive("a", Entry{Name: "w", Shape: []int{2}, Data: []float32{1, 8}, DType: "F16"})
	b := archive("b", Entry{Name: "w", Shape: []int{2}, Data: []float32{5, -8}})
	path := filepath.Join(folder, "mean")
	if err := Average(path, []*Archive{a, b}, []float64{1, 3}); err != nil {
		t.Fatal(err)
	}
	mean, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer mean.Close()
	got, err := mean.Tensors["w"].Float32()
	if err != nil || !slices.Equal(got, []float32{4, -4}) {
		t.Errorf("the mean is %v, error %v", got, err)
	}
	if d := mean.Tensors["w"].DType; d != "F16" || mean.Metadata["of"] != "a" {
		t.Errorf("it has the type %s and is of %q; want those of the first", d, mean.Metadata["of"])
	}

	other := filepath.Join(folder, "other")
	for _, c := range []struct {
		with    *Archive
		weights []float64
		want    string
	}{
		{archive("short", Entry{Name: "w", Shape: []int{1}, Data: []float32{1}}), []float64{1, 1}, "the tensors differ: w"},
		{archive("renamed", Entry{Name: "v", Shape: []int{2}, Data: []float32{1, 1}}), []float64{1, 1}, "the tensors differ: w"},
		{archive("more", Entry{Name: "w", Shape: []int{2}, Data: []float32{1, 1}}, Entry{Name: "x", Shape: []int{1}, Data: []float32{1}}), []float64{1, 1}, "the tensors differ: w"},
		{b, []float64{1}, "2 archives have 1 weights"},
		{b, []float64{1, -1}, "sum to nothing"},
	} {
		if err := Average(other, []*Archive{a, c.with}, c.weights); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
