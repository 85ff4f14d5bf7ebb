package checkpoint

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/neuraldbg/neuraldbg/internal/regularfile"
	"github.com/neuraldbg/neuraldbg/model/atomicfile"
	"github.com/neuraldbg/neuraldbg/model/neural"
)

// SumsFile is the name of the file with the SHA-256 of each file that a model
// consists of, in the form that sha256sum writes and checks.
const SumsFile = "SHA256SUMS"

// ErrNoSums is returned for a folder without a SumsFile.
var ErrNoSums = errors.New("there is no " + SumsFile + " to compare with")

// summed reports whether a file belongs to the model: what computes and what it
// needs, and neither what describes it nor its calibration, which is fitted later.
func summed(name string) bool {
	switch filepath.Ext(name) {
	case ".json", ".safetensors", ".model":
		return name != neural.CalibrationFile
	}
	return false
}

// WriteSums writes the SumsFile of a model's folder.
func WriteSums(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("write the sums of a model: %w", err)
	}
	var text bytes.Buffer
	for _, e := range entries { // sorted by name
		if !e.Type().IsRegular() || !summed(e.Name()) {
			continue
		}
		sum, err := sumOf(filepath.Join(dir, e.Name()))
		if err != nil {
			return fmt.Errorf("write the sums of a model: %w", err)
		}
		fmt.Fprintf(&text, "%s  %s\n", sum, e.Name())
	}
	if err := atomicfile.WriteFile(filepath.Join(dir, SumsFile), text.Bytes()); err != nil {
		return fmt.Errorf("write the sums of a model: %w", err)
	}
	return nil
}

// describes reports whether a file tells people about a model.
func describes(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".md", ".txt", ".png", ".jpg", ".svg", ".pdf":
		return true
	}
	switch stem, _, _ := strings.Cut(strings.ToUpper(name), "."); stem {
	case "", "LICENSE", "LICENCE", "NOTICE", "README": // "" is that of hidden files
		return true
	}
	return name == SumsFile || name == neural.CalibrationFile
}

// Verification is what a comparison of a model's folder with its sums has found.
type Verification struct {
	// Good is the number of files that are as they should be.
	Good int
	// Others are the names of what is there without a sum, and is not read as part
	// of the model: files and folders, but for those that describe it.
	Others []string
}

// Verify compares a model's folder with its SumsFile. The error names every file that
// is not as it should be, and every one that is read as part of the model and has no
// sum.
func Verify(dir string) (v Verification, err error) {
	sums, err := readSums(filepath.Join(dir, SumsFile))
	if err != nil {
		return v, err
	}
	var faults []error
	for _, s := range sums {
		switch got, err := sumOf(filepath.Join(dir, s.name)); {
		case errors.Is(err, os.ErrNotExist):
			faults = append(faults, fmt.Errorf("%s is missing", s.name))
		case err != nil:
			faults = append(faults, err)
		case got != s.sum:
			faults = append(faults, fmt.Errorf("%s is not what it was: its SHA-256 is %s, should be %s", s.name, got, s.sum))
		default:
			v.Good++
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return v, fmt.Errorf("verify a model: %w", err)
	}
	for _, e := range entries {
		name := e.Name()
		switch {
		case slices.ContainsFunc(sums, func(s sum) bool { return s.name == name }):
		case summed(name) && !e.IsDir():
			faults = append(faults, fmt.Errorf("%s has no sum in %s, and is read as part of the model", name, SumsFile))
		case !describes(name):
			v.Others = append(v.Others, name)
		}
	}
	if len(faults) > 0 {
		return v, fmt.Errorf("%s: %w; get the model anew", dir, errors.Join(faults...))
	}
	return v, nil
}

type sum struct{ name, sum string }

func readSums(path string) ([]sum, error) {
	text, err := regularfile.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", filepath.Dir(path), ErrNoSums)
	}
	if err != nil {
		return nil, fmt.Errorf("read the sums of a model: %w", err)
	}
	var sums []sum
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		digest, name, ok := strings.Cut(lines.Text(), " ")
		name = strings.TrimLeft(name, " *")
		if _, err := hex.DecodeString(digest); !ok || err != nil || len(digest) != 2*sha256.Size || name != filepath.Base(name) {
			return nil, fmt.Errorf("%s is damaged: %q is not a sum and a file's name", path, lines.Text())
		}
		if slices.ContainsFunc(sums, func(s sum) bool { return s.name == name }) {
			return nil, fmt.Errorf("%s is damaged: it names %s twice", path, name)
		}
		sums = append(sums, sum{name, strings.ToLower(digest)})
	}
	if len(sums) == 0 {
		return nil, fmt.Errorf("%s is empty", path)
	}
	slices.SortFunc(sums, func(a, b sum) int { return strings.Compare(a.name, b.name) })
	return sums, lines.Err()
}

func sumOf(path string) (string, error) {
	f, err := regularfile.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
