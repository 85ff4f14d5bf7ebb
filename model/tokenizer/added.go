package tokenizer

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// addedText is an added token that is not special: it stands for itself
// wherever it occurs in a text, before the text is cut into pre-tokens.
type addedText struct {
	id      int32
	content string
	// normalized says that it is looked for after normalisation.
	normalized bool
	// singleWord takes it only where no word goes on before or after it; lstrip
	// and rstrip take the white space around it too.
	singleWord, lstrip, rstrip bool
}

// addedTexts finds added tokens: the leftmost, and the longest of those.
type addedTexts struct {
	pattern *regexp.Regexp // nil when there are none
	tokens  map[string]addedText
}

func newAddedTexts(list []addedText) addedTexts {
	if len(list) == 0 {
		return addedTexts{}
	}
	a := addedTexts{tokens: make(map[string]addedText, len(list))}
	var quoted []string
	for _, t := range list {
		a.tokens[t.content] = t
		quoted = append(quoted, regexp.QuoteMeta(t.content))
	}
	slices.Sort(quoted)
	a.pattern = regexp.MustCompile(strings.Join(quoted, "|"))
	a.pattern.Longest()
	return a
}

// cut hands what lies between the added tokens of text to between, and the
// tokens to found, in order.
func (a addedTexts) cut(text string, between func(string), found func(id int32)) {
	if a.pattern == nil {
		between(text)
		return
	}
	done := 0
	for _, at := range a.pattern.FindAllStringIndex(text, -1) {
		begin, end := at[0], at[1]
		if begin < done { // in the white space that the token before took
			continue
		}
		token := a.tokens[text[begin:end]]
		if token.singleWord && (endsInWord(text[:begin]) || beginsWithWord(text[end:])) {
			continue
		}
		if token.lstrip {
			begin = max(done, len(strings.TrimRightFunc(text[:begin], unicode.IsSpace)))
		}
		if token.rstrip {
			end = len(text) - len(strings.TrimLeftFunc(text[end:], unicode.IsSpace))
		}
		if begin > done {
			between(text[done:begin])
		}
		found(token.id)
		done = end
	}
	if done < len(text) {
		between(text[done:])
	}
}

func endsInWord(text string) bool {
	r, size := utf8.DecodeLastRuneInString(text)
	return size > 0 && isWord(r)
}

func beginsWithWord(text string) bool {
	r, size := utf8.DecodeRuneInString(text)
	return size > 0 && isWord(r)
}

func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.M, r)
}
