package completions

import (
	"fmt"
	"net/url"
	"strings"
)

// Address is a model on a server.
type Address struct {
	// URL is where the API is: http://localhost:8000/v1, without a slash at the end.
	URL string
	// Model is its name there; empty: the only one that the server has.
	Model string
	// Tokenizer is the folder of the model's config.json and tokenizer, here;
	// empty when it is not known.
	Tokenizer string
}

// IsAddress reports whether a model's name is meant as an Address.
func IsAddress(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
}

// tokenizerKey is the part of a URL's query that names the folder.
const tokenizerKey = "tokenizer"

// ParseAddress reads http(s)://HOST:PORT/v1#NAME, with ?tokenizer=FOLDER before
// the #NAME.
func ParseAddress(text string) (Address, error) {
	u, err := url.Parse(text)
	if err != nil {
		return Address{}, fmt.Errorf("the model's address %q: %w", text, err)
	}
	query := u.Query()
	a := Address{Model: u.Fragment, Tokenizer: query.Get(tokenizerKey)}
	query.Del(tokenizerKey)
	if !IsAddress(text) || u.Host == "" || len(query) > 0 {
		return Address{}, fmt.Errorf("the model's address %q is not of the form http://HOST:PORT/v1#NAME", text)
	}
	a.URL = u.Scheme + "://" + u.Host + strings.TrimRight(u.EscapedPath(), "/")
	return a, nil
}

// WithTokenizer returns an address with another folder of the tokenizer.
func WithTokenizer(address, folder string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("the model's address %q: %w", address, err)
	}
	query := u.Query()
	query.Set(tokenizerKey, folder)
	u.RawQuery = query.Encode()
	return u.String(), nil
}

// String is the address without the folder of the tokenizer, for messages.
func (a Address) String() string {
	if a.Model == "" {
		return a.URL
	}
	return a.URL + "#" + a.Model
}
