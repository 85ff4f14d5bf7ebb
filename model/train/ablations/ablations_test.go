package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model/checkpoint"
)

var update = flag.Bool("update", false, "write the golden files")

func TestParseVariants(t *testing.T) {
	got, err := parseVariants(`
# a comment
all: --layers 6
all: --seed 1
base:
half the rate:  --lr 2e-3
mixture: --data a=3 --data b
`)
	if err != nil {
		t.Fatal(err)
	}
	want := []variant{
		{"base", nil, []string{"--layers", "6", "--seed", "1"}},
		{"half the rate", []string{"--lr", "2e-3"}, []string{"--layers", "6", "--seed", "1", "--lr", "2e-3"}},
		{"mixture", []string{"--data", "a=3", "--data", "b"}, []string{"--layers", "6", "--seed", "1", "--data", "a=3", "--data", "b"}},
	}
	for i := range want {
		if fmt.Sprint(got[i]) != fmt.Sprint(want[i]) {
			t.Errorf("variant %d is %v, want %v", i, got[i], want[i])
		}
	}
	if folder := got[1].folder(); folder != "half-the-rate" {
		t.Errorf("the folder is %q", folder)
	}
	if got[1].hasData() || !got[2].hasData() {
		t.Error("which variants name their data is not told")
	}
}

func TestParseVariantsRefuses(t *testing.T) {
	for _, c := range []struct{ text, err string }{
		{"", "there are no variants"},
		{"all: --seed 1\n", "there are no variants"},
		{"--lr 2", "line 1 is no variant"},
		{"a: --lr 1\nall: --seed 1", "line 2: the flags of all variants must stand first"},
		{"a b:\nA-b:", `line 2: the name "A-b" is empty or taken`},
		{"/: --lr 1", `line 1: the name "/" is empty or taken`},
	} {
		if _, err := parseVariants(c.text); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %v, want %q", c.text, err, c.err)
		}
	}
}

// fakeEngine is a program that behaves like neuraldbg-model: its n-th run sees
// 1,000 n tokens. It writes its arguments to the file it returns.
func fakeEngine(t *testing.T) (engine, calls string) {
	t.Helper()
	nano, err := filepath.Abs(filepath.Join("..", "..", "nano"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	engine, calls = filepath.Join(dir, "engine"), filepath.Join(dir, "calls")
	script := `#!/bin/sh
echo "$@" >> ` + calls + `
n=$(grep -c '^train' ` + calls + `)
case $1 in
train)
	test "$5" != fail || exit 1
	mkdir -p "$3" && ln -sfn ` + nano + ` "$3/model"
	echo '{"tokens": 1}' > "$3/metrics.jsonl"
	echo "{\"tokens\": ${n}000, \"processor_seconds\": 2}" >> "$3/metrics.jsonl" ;;
loss)
	echo "{\"loss\": \"states\", \"nats\": 0.$n}"
	echo "{\"loss\": \"values\", \"nats\": 0.2}" ;;
esac
`
	if err := os.WriteFile(engine, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return engine, calls
}

func TestStudy(t *testing.T) {
	engine, calls := fakeEngine(t)
	dir := t.TempDir()
	file, out := filepath.Join(dir, "variants.txt"), filepath.Join(dir, "out")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := study{engine: engine, data: "held", out: out, batches: 4}
	write("all: --seed 1\nbase:\nwide: --width 9\n")
	if err := s.run(context.Background(), file); err != nil {
		t.Fatal(err)
	}
	write("all: --seed 1\nbase:\nwide: --width 9\nmixed: --data x --data y\n")
	if err := s.run(context.Background(), file); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(calls)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(`train --out OUT/base --data held --seed 1
loss --model OUT/base/model --data held --batches 4 --loss states,values
train --out OUT/wide --data held --seed 1 --width 9
loss --model OUT/wide/model --data held --batches 4 --loss states,values
train --out OUT/mixed --seed 1 --data x --data y
loss --model OUT/mixed/model --data held --batches 4 --loss states,values
`, "OUT", out)
	if string(got) != want {
		t.Errorf("the program was called with\n%s\nwant\n%s", got, want)
	}
	compare(t, filepath.Join(out, tableFile), filepath.Join("testdata", "table.md"))
	checkParameters(t, filepath.Join(out, "wide", resultFile))

	write("all: --seed 2\nbase:\n")
	if err := s.run(context.Background(), file); err == nil || !strings.Contains(err.Error(), "other flags (--data held --seed 1)") {
		t.Errorf("a variant with other flags: %v", err)
	}
	s.data = "fail"
	write("new:\n")
	if err := s.run(context.Background(), file); err == nil || !strings.Contains(err.Error(), `variant "new"`) {
		t.Errorf("a training that fails: %v", err)
	}
}

// checkParameters checks that a result has the parameters of the bundled model.
func checkParameters(t *testing.T, path string) {
	t.Helper()
	nano, err := checkpoint.Describe(filepath.Join("..", "..", "nano"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf(`"parameters": %d,`, nano.Parameters); !strings.Contains(string(text), want) {
		t.Errorf("the result is\n%s\nwant %s", text, want)
	}
}

// parameters is the column of the bundled model's size, which changes with it.
var parameters = regexp.MustCompile(`\| \d\.\d\d \| 0\.00`)

// compare compares a table with a golden one, or makes that.
func compare(t *testing.T, path, golden string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got = parameters.ReplaceAll(got, []byte("| P | 0.00"))
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestResultIsKept checks that what is written is what is read.
func TestResultIsKept(t *testing.T) {
	dir := t.TempDir()
	r := result{Name: "a", Flags: []string{"--lr", "1"}, Own: []string{"--lr", "1"}, Data: "d", Batches: 3, Tokens: 5, ProcessorSeconds: 2, Losses: map[string]float64{"states": .5}}
	if err := r.write(dir); err != nil {
		t.Fatal(err)
	}
	again := result{Name: "a", Flags: r.Flags, Own: r.Own, Data: "d", Batches: 3}
	if done, err := again.read(dir); !done || err != nil || !reflect.DeepEqual(again, r) {
		t.Errorf("read %+v, %v, %v; want %+v", again, done, err, r)
	}
	again.Batches = 4
	if _, err := again.read(dir); err == nil {
		t.Error("a result of other batches is taken")
	}
}
