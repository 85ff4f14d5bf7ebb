package source

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/ianaindex"
)

// cookie is PEP 263's encoding declaration; it counts in the first two lines.
var cookie = regexp.MustCompile(`^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)`)

// pythonEncodings are names that Python knows and IANA does not.
var pythonEncodings = map[string]string{
	"latin1": "ISO-8859-1", "latin-1": "ISO-8859-1", "latin": "ISO-8859-1", "l1": "ISO-8859-1",
	"iso8859-1": "ISO-8859-1", "iso8859-15": "ISO-8859-15", "latin9": "ISO-8859-15", "latin-9": "ISO-8859-15",
	"cp1250": "windows-1250", "cp1251": "windows-1251", "cp1252": "windows-1252",
	"sjis": "Shift_JIS", "shift-jis": "Shift_JIS", "gb2312": "GB18030",
}

// decode returns the text of a Python file as UTF-8 with single line feeds: the
// byte order mark and the encoding cookie are honoured, and CRLF and CR become
// LF. The error has no position beyond what it can know.
func decode(src []byte) (text string, line int, err error) {
	src, marked := bytes.CutPrefix(src, []byte("\xef\xbb\xbf"))
	name := declaredEncoding(src)
	switch {
	case name == "utf-8" || name == "ascii" || name == "us-ascii":
	case marked:
		return "", 1, fmt.Errorf("the encoding cookie says %s, but the file begins with a UTF-8 byte order mark", name)
	default:
		label := name
		if iana, ok := pythonEncodings[name]; ok {
			label = iana
		}
		enc, err := ianaindex.IANA.Encoding(label)
		if err != nil || enc == nil {
			return "", 1, fmt.Errorf("unknown encoding %q; save the file as UTF-8", name)
		}
		if src, err = enc.NewDecoder().Bytes(src); err != nil {
			return "", 1, fmt.Errorf("decoding as %s: %w", name, err)
		}
	}
	text = string(src)
	if strings.IndexByte(text, '\r') >= 0 {
		text = strings.ReplaceAll(text, "\r\n", "\n")
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	if at := strings.IndexByte(text, 0); at >= 0 {
		return "", lineOf(text, at), fmt.Errorf("source code cannot contain null bytes")
	}
	if !utf8.ValidString(text) {
		at := 0
		for r, size := utf8.DecodeRuneInString(text); r != utf8.RuneError || size > 1; r, size = utf8.DecodeRuneInString(text[at:]) {
			at += size
		}
		return "", lineOf(text, at), fmt.Errorf(
			"byte %#x is not UTF-8, and no encoding is declared; add a line such as # -*- coding: latin-1 -*-", text[at])
	}
	return text, 0, nil
}

// declaredEncoding returns the normalised name in the encoding cookie, or
// "utf-8".
func declaredEncoding(src []byte) string {
	for range 2 {
		line := src
		if end := bytes.IndexAny(src, "\r\n"); end >= 0 {
			line, src = src[:end], bytes.TrimPrefix(src[end:], []byte("\r"))
			src = bytes.TrimPrefix(src, []byte("\n"))
		} else {
			src = nil
		}
		if match := cookie.FindSubmatch(line); match != nil {
			name := strings.ReplaceAll(strings.ToLower(string(match[1])), "_", "-")
			if name == "utf8" || name == "utf-8-sig" || strings.HasPrefix(name, "utf-8-") {
				return "utf-8"
			}
			return name
		}
		// A cookie in the second line counts only below a comment or a blank.
		if trimmed := bytes.TrimLeft(line, " \t\f"); len(trimmed) > 0 && trimmed[0] != '#' {
			break
		}
	}
	return "utf-8"
}

func lineOf(text string, offset int) int { return 1 + strings.Count(text[:offset], "\n") }
