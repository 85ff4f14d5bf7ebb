package tokenizer

import "fmt"

// A tokenizer.json spells tokens in characters, one a byte: printable bytes as
// themselves, the others shifted to U+0100 and up (GPT-2's byte encoder).
var (
	byteToRune [256]rune
	runeToByte = make(map[rune]byte, 256)
)

func init() {
	shifted := rune(0x100)
	for b := range 256 {
		r := rune(b)
		printable := b >= '!' && b <= '~' || b >= 0xA1 && b <= 0xAC || b >= 0xAE
		if !printable {
			r = shifted
			shifted++
		}
		byteToRune[b] = r
		runeToByte[r] = byte(b)
	}
}

// spell returns the bytes of a token as tokenizer.json writes them.
func spell(token []byte) string {
	runes := make([]rune, len(token))
	for i, b := range token {
		runes[i] = byteToRune[b]
	}
	return string(runes)
}

// unspell is the inverse of spell.
func unspell(s string) ([]byte, error) {
	token := make([]byte, 0, len(s))
	for _, r := range s {
		b, ok := runeToByte[r]
		if !ok {
			return nil, fmt.Errorf("token %q has the character %q, which stands for no byte; the vocabulary is not byte-level", s, r)
		}
		token = append(token, b)
	}
	return token, nil
}
