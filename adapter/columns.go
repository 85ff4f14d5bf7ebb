package adapter

import (
	"unicode/utf16"
	"unicode/utf8"
)

// utf16Length returns how many UTF-16 units a text has, the protocol's unit of
// columns.
func utf16Length(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// columnToClient converts a column in bytes from 1 of a line's text.
func (s *session) columnToClient(line string, column int) int {
	return utf16Length(line[:min(max(column-1, 0), len(line))]) + s.firstColumn()
}

// columnFromClient returns the offset in bytes of a client's column in a line.
func (s *session) columnFromClient(line string, column int) int {
	units := column - s.firstColumn()
	offset := 0
	for units > 0 && offset < len(line) {
		r, size := utf8.DecodeRuneInString(line[offset:])
		units -= utf16.RuneLen(r)
		offset += size
	}
	return offset
}
