package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
)

// Key identifies a program by its normalised source: line ends, blank lines,
// white space at line ends and lines that are only a comment do not count.
// Programs with one Key are one program to a dataset, whatever their entry.
func Key(source string) uint64 {
	var b strings.Builder
	for line := range strings.Lines(source) {
		line = strings.TrimRight(line, " \t\r\n\f")
		if code := strings.TrimLeft(line, " \t"); code == "" || code[0] == '#' {
			continue
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	sum := sha256.Sum256([]byte(b.String()))
	return binary.BigEndian.Uint64(sum[:])
}

// SplitOf returns the split to which a program belongs when the given share of
// all programs is held out.
func SplitOf(key uint64, heldOut float64) Split {
	// The upper half of the key as a fraction of one.
	if float64(key>>32)/(1<<32) < heldOut {
		return HeldOut
	}
	return Train
}
