package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/neuraldbg/neuraldbg/model/atomicfile"
)

// cardFile is the dataset card, as the datasets library and its hub call it.
const cardFile = "README.md"

// writeCard writes the card of a complete dataset that has none yet: a user may
// have written one.
func writeCard(dir string, d *Description) error {
	path := filepath.Join(dir, cardFile)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return atomicfile.WriteFile(path, []byte(card(d)))
}

// card says to people and to the datasets library what is in a folder. Without the
// list of splits that it begins with, the library takes the training split only, as
// it does not know the name of the other, or the JSON files for the data. A split
// without rows it does not read at all.
func card(d *Description) string {
	var b strings.Builder
	b.WriteString("---\nconfigs:\n- config_name: default\n  data_files:\n")
	for _, split := range []Split{Train, HeldOut} {
		if d.Stats.split(split).Programs > 0 {
			fmt.Fprintf(&b, "  - split: %s\n    path: %s-*.parquet\n", split, split)
		}
	}
	fmt.Fprintf(&b, `tags:
- code
- python
---

# Debugger trajectories: %s

Each row is a walk of a debugger through the recorded run of a Python program, as
neuraldbg trains its models on. `+"`%s`"+` says how the dataset was made.

| column | what it is |
| --- | --- |
| text | the code, then states and actions in turn, special tokens spelled out |
| input_ids | the same in the ids of `+"`tokenizer.json`"+`, at most %d |
| loss_mask | for each id, whether a model learns to predict it |
| direction | forward or inverse |
| actions | the names of the actions, in order |
| source | which program it is: all rows of a program have the same |
| truncated | whether the walk was longer than the context and is cut behind a state |

A program is either in the split %s or in %s, by a hash of its source.

    import datasets
    rows = datasets.load_dataset("path/of/this/folder", split="%s", streaming=True)
`, d.Provenance.Name, descriptionFile, d.Params.MaxTokens, Train, HeldOut, Train)
	if len(d.Provenance.Licences) == 0 {
		return b.String()
	}
	fmt.Fprintf(&b, "\nIt holds code of others, whose licences are in the folder %s:\n\n", LicenceFolder)
	for _, l := range d.Provenance.Licences {
		fmt.Fprintf(&b, "- %s\n", strings.Join(strings.Fields(strings.Join([]string{l.Of, l.Version, l.Terms}, " ")), " "))
	}
	return b.String()
}
