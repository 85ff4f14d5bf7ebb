// Package tokenizer turns text into token ids and back: byte-level BPE, in the
// `tokenizer.json` format of Hugging Face's tokenizers library, read, written
// and trained.
//
// Special tokens come from structure, never from text. Encode never yields one:
// a program that has "<|frame_sep|>" in a string is encoded as ordinary
// characters. Who writes a trace asks Special for the id of each marker and
// puts it between the encoded texts.
//
// # The project's own vocabulary
//
// Train learns a vocabulary for very small models. Such a model must see the
// letters of strings, because programs index, reverse and count them, while
// keywords and names may be one token each. Two rules give both.
//
// Pattern cuts text into pre-tokens: one digit; a run of letters together with
// the one character before it, unless that is a letter, a digit, a line end or
// an apostrophe; a run of line ends; a run of anything else, spaces included.
// So ` return`, `(text` and `"nums` are pre-tokens, `{"..": "..", ` is one, and
// the content of the repr 'berry' begins bare after its apostrophe. A line is
// cut in the same way inside a program and on its own, which makes copying it
// easy.
//
// Merges are learned at the start of pre-tokens only, and not of those that begin
// with a letter. A token of several letters therefore always begins with a
// character that is no letter, no merge applies inside a bare run of letters, and
// strings stay one token a letter; only a word behind a space in a string may
// begin like a word of code. The price is a word at the very beginning of a line,
// such as `def`, which is spelled out, and that a long word's beginnings are
// tokens too.
//
// Both rules concern learning. What is learned is an ordinary byte-level BPE
// that any reader of tokenizer.json encodes with the same result.
//
// The package knows nothing of states or models.
package tokenizer
