package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestJSONLRanges(t *testing.T) {
	const count = 2*jsonlStride + 7
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "{\"code\": \"def f(x):\\n    return x\", \"input\": \"%d\"}\n", i)
		if i%100 == 0 {
			b.WriteString(" \r\n\n")
		}
	}
	path := filepath.Join(t.TempDir(), "cases.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	j, err := OpenJSONL(path)
	if err != nil {
		t.Fatal(err)
	}
	if j.Len() != count {
		t.Fatalf("%d cases, want %d", j.Len(), count)
	}
	for _, r := range [][2]int{{0, 3}, {998, 1003}, {1000, 1001}, {2004, count}, {5, 5}} {
		var got, want []string
		for i := r[0]; i < r[1]; i++ {
			want = append(want, fmt.Sprintf("%d f(%d)", i, i))
		}
		for c, err := range j.Range(r[0], r[1]) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(c.Index, " ", c.Entry))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: %q, want %q", r, got, want)
		}
	}
}

// A line that is no case is told when the file is opened, whichever it is.
func TestOpenJSONLChecksEveryLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cases.jsonl")
	good := "{\"code\": \"def f(): pass\", \"input\": \"\"}\n"
	if err := os.WriteFile(path, []byte(strings.Repeat(good, 1500)+"\nnonsense\n"+good), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenJSONL(path); err == nil || !strings.Contains(err.Error(), path+": line 1502: not a JSON object") {
		t.Errorf("error %v", err)
	}
}

// A file that has changed since it was opened is told with the line.
func TestRangeOfAChangedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cases.jsonl")
	good := "{\"code\": \"def f(): pass\", \"input\": \"\"}\n"
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(strings.Repeat(good, 1005))
	j, err := OpenJSONL(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{strings.Repeat(good, 1002) + "{}\n" + good, "line 1003: it has no code"},
		{strings.Repeat(good, 1004), "has become shorter"},
	} {
		write(c.text)
		var last error
		for _, err := range j.Range(1001, 1005) {
			last = err
		}
		if last == nil || !strings.Contains(last.Error(), c.want) {
			t.Errorf("error %v, want %q in it", last, c.want)
		}
	}
}

func TestOpenJSONLOfNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "empty.jsonl")
	if err := os.WriteFile(path, []byte("\n \r\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, path + "none"} {
		if _, err := OpenJSONL(p); err == nil {
			t.Errorf("%s is opened", p)
		}
	}
}
