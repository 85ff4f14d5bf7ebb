package grammar

import "fmt"

// SyntaxError tells what a parser did not accept.
type SyntaxError struct {
	Got  string // a special token, or a byte as in "byte 'x'"
	Want string // what was allowed instead, or why Got was not
}

// Error implements error.
func (e *SyntaxError) Error() string { return fmt.Sprintf("unexpected %s: %s", e.Got, e.Want) }
