package completions

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"
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
	if whole := new(url.Error); errors.As(err, &whole) {
		err = whole.Err // without the text
	}
	if err != nil {
		return Address{}, fmt.Errorf("the model's address %q: %w", text, err)
	}
	if fault := faultOf(u); fault != "" {
		return Address{}, fmt.Errorf("the model's address %q %s; its form is http://HOST:PORT/v1#NAME", text, fault)
	}
	return Address{
		URL:       u.Scheme + "://" + u.Host + strings.TrimRight(u.EscapedPath(), "/"),
		Model:     u.Fragment,
		Tokenizer: u.Query().Get(tokenizerKey),
	}, nil
}

// faultOf says what is wrong with an address; "" for nothing.
func faultOf(u *url.URL) string {
	query, err := url.ParseQuery(u.RawQuery)
	folders := query[tokenizerKey]
	delete(query, tokenizerKey)
	port, badPort := strconv.Atoi(cmp.Or(u.Port(), "80"))
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return "does not begin with http:// or https://"
	case u.Hostname() == "":
		return "names no host"
	case badPort != nil || port < 1 || port > math.MaxUint16:
		return "has a port that is not between 1 and 65535"
	case u.User != nil:
		return "has a user's name before the host, which is not supported"
	case err != nil || len(query) > 0:
		return "has a query, of which only ?tokenizer=FOLDER is known"
	case len(folders) > 1:
		return "names several tokenizers"
	}
	return ""
}

// WithTokenizer returns an address with the folder of the tokenizer. One that names
// another already is refused.
func WithTokenizer(address, folder string) (string, error) {
	a, err := ParseAddress(address)
	if err != nil {
		return "", err
	}
	if a.Tokenizer != "" && a.Tokenizer != folder {
		return "", fmt.Errorf("the model's address %q names the tokenizer %s, and %s is given beside it; name one", address, a.Tokenizer, folder)
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", err // ParseAddress has parsed it
	}
	u.RawQuery = url.Values{tokenizerKey: {folder}}.Encode()
	return u.String(), nil
}

// String is the address without the folder of the tokenizer, for messages.
func (a Address) String() string {
	if a.Model == "" {
		return a.URL
	}
	return a.URL + "#" + a.Model
}
