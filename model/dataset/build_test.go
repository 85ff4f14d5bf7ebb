package dataset

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neuraldbg/neuraldbg/model/atomicfile"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/corpus"
)

// cases are small programs; every tenth repeats the one before it.
type cases int

func (n cases) Len() int                 { return int(n) }
func (n cases) Foreign() *corpus.Foreign { return nil }
func (n cases) Provenance() corpus.Provenance {
	return corpus.Provenance{Name: "test", Entries: int(n)}
}

func (n cases) Range(from, to int) iter.Seq2[corpus.Case, error] {
	return func(yield func(corpus.Case, error) bool) {
		for i := from; i < to; i++ {
			k := i
			if i%10 == 9 {
				k--
			}
			c := corpus.Case{
				Index:  uint64(i),
				Source: fmt.Sprintf("def f(x):\n    n = %d\n    for c in x:\n        n += g(c)\n    return n\n\ndef g(c):\n    return len(c)\n", k),
				Entry:  "f(['a', 'bc'])",
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}

// list is cases as a collection.
type list []corpus.Case

func (l list) Len() int                      { return len(l) }
func (l list) Foreign() *corpus.Foreign      { return nil }
func (l list) Provenance() corpus.Provenance { return corpus.Provenance{Name: "test", Entries: len(l)} }

func (l list) Range(from, to int) iter.Seq2[corpus.Case, error] {
	return func(yield func(corpus.Case, error) bool) {
		for _, c := range l[from:to] {
			if !yield(c, nil) {
				return
			}
		}
	}
}

func needPython(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("recording needs python3")
	}
}

// params are for small shards. No busy machine makes a program too slow.
func params() Params {
	p := DefaultParams()
	p.Corpus, p.ShardPrograms, p.HeldOut, p.MaxTokens, p.Seconds = "test", 7, .3, 2000, 60
	return p
}

func build(t testing.TB, dir string, n, workers int) Description {
	t.Helper()
	d, err := Build(context.Background(), dir, NewCases(cases(n), params()), bytesTokenizer(t), params(), BuildOptions{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func read(t testing.TB, dir string, split Split) []Sequence {
	t.Helper()
	list, err := ReadSequences(dir, split)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestBuild(t *testing.T) {
	needPython(t)
	dir := t.TempDir()
	d := build(t, dir, 40, 2)
	if !d.Complete || d.Shards != 6 || d.Stats.Cases != 40 || d.Stats.Dropped[DuplicateProgram] != 4 {
		t.Errorf("description %+v with %+v", d, d.Stats)
	}
	if d.Stats.Train.Programs+d.Stats.HeldOut.Programs != 36 || d.Stats.HeldOut.Programs == 0 {
		t.Errorf("%d and %d programs, want 36 in both", d.Stats.Train.Programs, d.Stats.HeldOut.Programs)
	}
	saved, err := ReadDescription(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !sameJSON(saved, d) {
		t.Errorf("saved %+v, returned %+v", saved, d)
	}

	train, heldOut := read(t, dir, Train), read(t, dir, HeldOut)
	counted := newStats()
	sources := make(map[string]Split)
	for split, list := range map[Split][]Sequence{Train: train, HeldOut: heldOut} {
		for i := range list {
			s := &list[i]
			counted.split(split).count(s)
			if other, ok := sources[s.Source]; ok && other != split {
				t.Errorf("%s is in both splits", s.Source)
			}
			sources[s.Source] = split
			if len(s.InputIDs) != len(s.LossMask) || !slices.Contains(s.LossMask, true) || len(s.Actions) == 0 && !s.LossMask[len(s.LossMask)-1] {
				t.Errorf("a sequence of %d ids, %d in the mask, actions %v", len(s.InputIDs), len(s.LossMask), s.Actions)
			}
			if got := bytesTokenizer(t).Decode(s.InputIDs); got != s.Text {
				t.Errorf("the ids of\n%s\nspell\n%s", s.Text, got)
			}
		}
	}
	counted.Train.Programs, counted.HeldOut.Programs = d.Stats.Train.Programs, d.Stats.HeldOut.Programs
	if !reflect.DeepEqual(counted.Train, d.Stats.Train) || !reflect.DeepEqual(counted.HeldOut, d.Stats.HeldOut) {
		t.Errorf("the shards hold %+v, the statistics say %+v", counted, d.Stats)
	}
	for _, direction := range []string{"forward", "inverse"} {
		if counted.Train.Trajectories[direction] == 0 {
			t.Errorf("no %s trajectories", direction)
		}
	}
}

func TestBuildDoesNotDependOnWorkers(t *testing.T) {
	needPython(t)
	one, three := t.TempDir(), t.TempDir()
	a, b := build(t, one, 30, 1), build(t, three, 30, 3)
	if !sameJSON(a, b) {
		t.Errorf("one worker: %+v, three: %+v", a.Stats, b.Stats)
	}
	if !reflect.DeepEqual(read(t, one, Train), read(t, three, Train)) {
		t.Error("the sequences differ")
	}
}

func TestBuildGoesOnWhereItStopped(t *testing.T) {
	needPython(t)
	dir, whole := t.TempDir(), t.TempDir()
	build(t, whole, 30, 1)
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Build(ctx, dir, NewCases(cases(30), params()), bytesTokenizer(t), params(), BuildOptions{
		Workers: 1, Progress: func(int, int, Stats) { cancel() },
	})
	if err == nil {
		t.Fatal("a cancelled build succeeds")
	}
	if d, err := ReadDescription(dir); err != nil || d.Complete {
		t.Errorf("after an interruption: %+v, %v", d, err)
	}
	first := shardPath(dir, Train, 0)
	before, err := os.Stat(first)
	if err != nil {
		t.Fatal(err)
	}
	killed := filepath.Join(dir, atomicfile.Prefix+"1") // what a killed build leaves
	if err := os.WriteFile(killed, []byte("PAR1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(killed, time.Time{}, time.Now().Add(-time.Minute)); err != nil {
		t.Fatal(err)
	}
	build(t, dir, 30, 1)
	if after, err := os.Stat(first); err != nil || !os.SameFile(before, after) {
		t.Error("the first shard was made again")
	}
	for _, split := range []Split{Train, HeldOut} {
		if !reflect.DeepEqual(read(t, dir, split), read(t, whole, split)) {
			t.Errorf("the %s split differs from that of an uninterrupted build", split)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, atomicfile.Prefix+"*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}

	other := params()
	other.Seed++
	_, err = Build(context.Background(), dir, NewCases(cases(30), other), bytesTokenizer(t), other, BuildOptions{})
	if err == nil || !strings.Contains(err.Error(), "other parameters") {
		t.Errorf("other parameters: %v", err)
	}
	for _, programs := range []int{29, 31} {
		_, err = Build(context.Background(), dir, NewCases(cases(programs), params()), bytesTokenizer(t), params(), BuildOptions{})
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("that had 30 entries, and now has %d;", programs)) {
			t.Errorf("%d programs: %v", programs, err)
		}
	}
}

// TestBuildOfShardsCopiedInPart goes on in a folder in which markers of shards have
// come without their files, or files are not what their markers say.
func TestBuildOfShardsCopiedInPart(t *testing.T) {
	needPython(t)
	dir, whole := t.TempDir(), t.TempDir()
	build(t, whole, 20, 1)
	build(t, dir, 20, 1)
	file, marker := shardPath(dir, Train, 0), filepath.Join(dir, "shard-00000.json")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	build(t, dir, 20, 1)
	if !reflect.DeepEqual(read(t, dir, Train), read(t, whole, Train)) {
		t.Error("the missing file was not made again")
	}

	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	others, err := os.ReadFile(shardPath(dir, HeldOut, 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, damage := range []struct {
		path string
		data []byte
		want string
	}{
		{file, data[:len(data)/2], "delete it and its .json"},
		{file, others, "delete both"},
		{marker, []byte("{"), "delete it, and the shard is made again"},
	} {
		if err := os.WriteFile(damage.path, damage.data, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Build(context.Background(), dir, NewCases(cases(20), params()), bytesTokenizer(t), params(), BuildOptions{})
		if err == nil || !strings.Contains(err.Error(), damage.path) || !strings.Contains(err.Error(), damage.want) {
			t.Errorf("error %v, want one of %s with %q", err, damage.path, damage.want)
		}
	}
}

// TestBuildInRanges makes the shards of a dataset in two folders, as two machines
// would, and puts them together.
func TestBuildInRanges(t *testing.T) {
	needPython(t)
	whole, one, two := t.TempDir(), t.TempDir(), t.TempDir()
	want := build(t, whole, 30, 1)
	make := func(dir string, r Range) (Description, error) {
		return Build(context.Background(), dir, NewCases(cases(30), params()), bytesTokenizer(t), params(), BuildOptions{Range: r})
	}
	for dir, r := range map[string]Range{one: {0, 2}, two: {2, 5}} {
		if d, err := make(dir, r); err != nil || d.Complete {
			t.Fatalf("a part: %v, complete %v", err, d.Complete)
		}
	}
	parts, err := filepath.Glob(filepath.Join(two, "*-0000*"))
	if err != nil || len(parts) != 9 {
		t.Fatalf("files of three shards: %v, %v", parts, err)
	}
	for _, path := range parts {
		if err := os.Rename(path, filepath.Join(one, filepath.Base(path))); err != nil {
			t.Fatal(err)
		}
	}
	if d, err := make(one, Range{}); err != nil || !sameJSON(d, want) {
		t.Errorf("put together: %v\n%+v\nwhole: %+v", err, d, want)
	}
	if !reflect.DeepEqual(read(t, one, Train), read(t, whole, Train)) {
		t.Error("the sequences differ")
	}
	for _, r := range []Range{{0, 6}, {3, 3}, {-1, 2}, {4, 2}} {
		if _, err := make(t.TempDir(), r); err == nil || !strings.Contains(err.Error(), "no shards") {
			t.Errorf("%v: %v", r, err)
		}
	}
}

func TestBuildIntoWhatIsNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		if err := CheckWritable(dir); err == nil {
			t.Errorf("%s is writable", dir)
		}
	}
}

// Of two that would write into a folder, the second is told.
func TestClaim(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	lock, err := Claim(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Claim(dir); err == nil || !strings.Contains(err.Error(), dir+": another neuraldbg is writing into this folder") {
		t.Errorf("claimed twice: %v", err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	if again, err := Claim(dir); err != nil {
		t.Error(err)
	} else if err := again.Release(); err != nil {
		t.Error(err)
	}
}

// broken is a collection that cannot be read.
type broken struct{ list }

func (broken) Range(int, int) iter.Seq2[corpus.Case, error] {
	return func(yield func(corpus.Case, error) bool) { yield(corpus.Case{}, errors.New("line 3: not JSON")) }
}

func TestBuildOfWhatCannotBeRead(t *testing.T) {
	needPython(t)
	c := NewCases(broken{make(list, 1)}, params())
	_, err := Build(context.Background(), t.TempDir(), c, bytesTokenizer(t), params(), BuildOptions{})
	if want := "build a dataset: shard 0: line 3: not JSON"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestBuildDropsWhatCannotBeUsed(t *testing.T) {
	needPython(t)
	bad := []corpus.Case{
		{Index: 0, Source: "def f(:\n", Entry: "f()"},
		{Index: 1, Source: "def f():\n    return 1\n", Entry: "g()"},
		{Index: 2, Source: "def f(x):\n    return x\n", Entry: "f('" + strings.Repeat("long", 600) + "')"},
	}
	p := params()
	p.HeldOut, p.Value = 0, 5000
	d, err := Build(context.Background(), t.TempDir(), NewCases(list(bad), p), bytesTokenizer(t), p, BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Stats.Dropped[NotRecorded+Reason(corpus.Unfit)] != 2 || d.Stats.Dropped[TooLong] != p.Trajectories || d.Stats.Dropped[NoSequences] != 1 || d.Stats.Train.Programs != 0 {
		t.Errorf("dropped %v, kept %+v", d.Stats.Dropped, d.Stats.Train)
	}
}

func TestTrajectoriesAreThoseOfTheSplit(t *testing.T) {
	needPython(t)
	dir := t.TempDir()
	d := build(t, dir, 20, 1)
	programs := 0
	all := func(yield func(corpus.Case) bool) {
		for c := range cases(20).Range(0, 20) {
			if !yield(c) {
				return
			}
		}
	}
	for s, err := range Trajectories(context.Background(), all, params(), HeldOut) {
		if err != nil {
			t.Fatal(err)
		}
		if s.Case.Index%10 != 9 { // those are duplicates
			programs++
		}
		for i := range s.Trajectories {
			if s.Trajectories[i].Start.Event == statetree.NoEvent {
				t.Error("a trajectory without a start")
			}
		}
	}
	if programs != d.Stats.HeldOut.Programs {
		t.Errorf("%d held-out programs, the dataset has %d", programs, d.Stats.HeldOut.Programs)
	}
}
