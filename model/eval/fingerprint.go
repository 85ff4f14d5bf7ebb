package eval

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/neuraldbg/neuraldbg/internal/regularfile"
)

// sampledBytes is how much is read of both ends of a file.
const sampledBytes = 1 << 20

// Fingerprint tells a checkpoint from others by its files: their names, lengths,
// and the bytes at both ends of each. Training changes all weights, so that the
// ends of large files are enough.
func Fingerprint(dir string) (string, error) {
	var paths []string
	for _, pattern := range []string{"*.json", "*.safetensors"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return "", fmt.Errorf("look for the files of the checkpoint: %w", err)
		}
		paths = append(paths, found...)
	}
	slices.Sort(paths)
	hash := sha256.New()
	for _, path := range paths {
		if err := sampleFile(hash, path); err != nil {
			return "", fmt.Errorf("read the checkpoint: %w", err)
		}
	}
	return hex.EncodeToString(hash.Sum(nil))[:16], nil
}

func sampleFile(w io.Writer, path string) error {
	f, err := regularfile.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s %d\n", filepath.Base(path), info.Size())
	if _, err := io.CopyN(w, f, min(sampledBytes, info.Size())); err != nil {
		return err
	}
	_, err = io.Copy(w, io.NewSectionReader(f, max(0, info.Size()-sampledBytes), sampledBytes))
	return err
}
