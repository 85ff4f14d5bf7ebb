package corpus

import (
	"bufio"
	"bytes"
	"context"
	_ "embed" // the script
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree/record"
)

//go:embed python/vary.py
var varyScript string

// Vary adds, behind each entry, up to count calls like it with other arguments of the
// same types (vary.py says how they are made), so that a function that people wrote is
// seen with more values than its authors tried. Python is as in record.Options.
func (t *Tree) Vary(ctx context.Context, count int, python string) error {
	if python == "" {
		python = record.DefaultPython
	}
	var given, complaint bytes.Buffer
	lines := json.NewEncoder(&given)
	for _, e := range t.entries {
		if err := lines.Encode(map[string]string{"function": e.File + ":" + e.Function, "call": e.Call}); err != nil {
			return fmt.Errorf("varying calls: %w", err)
		}
	}
	cmd := exec.CommandContext(ctx, python, "-c", varyScript, fmt.Sprint(count))
	cmd.Stdin, cmd.Stderr = &given, &complaint
	output, err := cmd.Output()
	if err != nil {
		said := strings.Split(strings.TrimSpace(complaint.String()), "\n")
		return fmt.Errorf("varying calls with %s: %w: %s", python, err, said[len(said)-1])
	}
	return t.addVariations(output, count)
}

// addVariations takes in what vary.py printed.
func (t *Tree) addVariations(output []byte, count int) error {
	var all []treeEntry
	next := 0 // the entry that is not in all yet
	lines := bufio.NewScanner(bytes.NewReader(output))
	for lines.Scan() {
		var v struct {
			Entry int    `json:"entry"`
			Call  string `json:"call"`
		}
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil || v.Entry < next-1 || v.Entry >= len(t.entries) {
			return fmt.Errorf("varying calls: the script printed %q", lines.Text())
		}
		for ; next <= v.Entry; next++ {
			all = append(all, t.entries[next])
		}
		varied := t.entries[v.Entry]
		varied.Call = v.Call
		all = append(all, varied)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("varying calls: %w", err)
	}
	t.entries = append(all, t.entries[next:]...)
	t.provenance.Name = fmt.Sprintf("%s, varied %d times", t.provenance.Name, count)
	t.provenance.Entries = len(t.entries)
	return nil
}
