package dataset

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree/corpus"
)

func TestCard(t *testing.T) {
	needPython(t)
	dir := t.TempDir()
	build(t, dir, 14, 1)
	path := filepath.Join(dir, cardFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for line := range strings.Lines(string(text)) {
		if pattern, ok := strings.CutPrefix(strings.TrimSpace(line), "path: "); ok {
			matches, err := filepath.Glob(filepath.Join(dir, pattern))
			if err != nil || len(matches) != 2 {
				t.Errorf("%s: %q, %v", pattern, matches, err)
			}
			files += len(matches)
		}
	}
	if files != 4 {
		t.Errorf("the card names %d files of 2 splits of 2 shards:\n%s", files, text)
	}
	const mine = "# My dataset\n"
	if err := os.WriteFile(path, []byte(mine), 0o644); err != nil {
		t.Fatal(err)
	}
	build(t, dir, 14, 1)
	if text, err := os.ReadFile(path); err != nil || string(text) != mine {
		t.Errorf("the user's card became %q, %v", text, err)
	}
}

func TestCardNamesLicences(t *testing.T) {
	d := Description{Stats: newStats(), Provenance: corpus.Provenance{Licences: []corpus.Licence{{Of: "shop", Version: "1.5", Terms: "MIT\nLicense"}, {Of: "tax"}}}}
	if text := card(&d); !strings.HasSuffix(text, "licences:\n\n- shop 1.5 MIT License\n- tax\n") {
		t.Error(text)
	}
}

// datasetsScript reads datasets as their users do, by folder and by files, whole and
// streamed.
const datasetsScript = `
import datasets, json, sys
cache, *folders = sys.argv[1:]

def read(folder):
    whole = datasets.load_dataset(folder, cache_dir=cache)
    rows = {split: list(whole[split]) for split in whole}
    files = {split: folder + "/" + split + "-*.parquet" for split in whole}
    same = datasets.load_dataset("parquet", data_files=files, cache_dir=cache)
    return {
        "rows": rows,
        "files_agree": {split: list(same[split]) for split in same} == rows,
        "stream_agrees": {split: list(datasets.load_dataset(folder, split=split, streaming=True)) for split in whole} == rows,
        "features": {name: str(feature) for name, feature in whole["train"].features.items()},
    }

print(json.dumps([read(folder) for folder in folders]))
`

// readByLibrary is what datasetsScript prints of a folder.
type readByLibrary struct {
	Rows         map[Split][]Sequence
	FilesAgree   bool `json:"files_agree"`
	StreamAgrees bool `json:"stream_agrees"`
	Features     map[string]string
}

// TestDatasetsLibrary compares what the datasets library reads with what this
// package does, of a dataset with both splits and of one with nothing held out.
func TestDatasetsLibrary(t *testing.T) {
	needPython(t)
	if exec.Command("python3", "-c", "import importlib.util, sys; sys.exit(not importlib.util.find_spec('datasets'))").Run() != nil {
		t.Skip("python3 has no package datasets; it needs pip install datasets")
	}
	var dirs []string
	for _, share := range []float64{.3, 0} {
		p := params()
		p.HeldOut = share
		dir := t.TempDir()
		if _, err := Build(t.Context(), dir, NewCases(cases(14), p), bytesTokenizer(t), p, BuildOptions{}); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, dir)
	}
	cmd := exec.Command("python3", append([]string{"-c", datasetsScript, t.TempDir()}, dirs...)...)
	cmd.Env = append(os.Environ(), "HF_HUB_OFFLINE=1", "HF_HOME="+t.TempDir())
	var complaint strings.Builder
	cmd.Stderr = &complaint
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, complaint.String())
	}
	var all []readByLibrary
	if err := json.Unmarshal(output, &all); err != nil {
		t.Fatal(err)
	}
	for i := range all {
		all[i].check(t, dirs[i])
	}
}

// check compares with what this package reads.
func (r *readByLibrary) check(t *testing.T, dir string) {
	t.Helper()
	if !r.FilesAgree || !r.StreamAgrees {
		t.Errorf("the same rows by files: %v, streamed: %v", r.FilesAgree, r.StreamAgrees)
	}
	for _, split := range []Split{Train, HeldOut} {
		if want := read(t, dir, split); len(r.Rows[split]) != len(want) || len(want) > 0 && !reflect.DeepEqual(r.Rows[split], want) {
			t.Errorf("%s: the library reads %d rows, this package %d, or others", split, len(r.Rows[split]), len(want))
		}
	}
	for column, feature := range map[string]string{
		"text": "Value('string')", "input_ids": "List(Value('int32'))", "loss_mask": "List(Value('bool'))", "truncated": "Value('bool')",
	} {
		if r.Features[column] != feature {
			t.Errorf("the column %s is %s, want %s", column, r.Features[column], feature)
		}
	}
}
