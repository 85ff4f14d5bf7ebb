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
}

// IsAddress reports whether a model's name is meant as an Address.
func IsAddress(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
}

// ParseAddress reads http(s)://HOST:PORT/v1#NAME.
func ParseAddress(text string) (Address, error) {
	u, err := url.Parse(text)
	if err != nil {
		return Address{}, fmt.Errorf("the model's address %q: %w", text, err)
	}
	if !IsAddress(text) || u.Host == "" || u.RawQuery != "" {
		return Address{}, fmt.Errorf("the model's address %q is not of the form http://HOST:PORT/v1#NAME", text)
	}
	a := Address{Model: u.Fragment}
	u.Fragment, u.RawFragment = "", ""
	a.URL = strings.TrimRight(u.String(), "/")
	return a, nil
}

func (a Address) String() string {
	if a.Model == "" {
		return a.URL
	}
	return a.URL + "#" + a.Model
}
