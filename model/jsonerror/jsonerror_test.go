package jsonerror_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/neuraldbg/neuraldbg/model/jsonerror"
)

func TestDescribe(t *testing.T) {
	type inner struct {
		Factor *float64 `json:"factor"`
	}
	type config struct {
		Size    int      `json:"vocab_size"`
		Tied    bool     `json:"tied"`
		Names   []string `json:"names"`
		Scaling inner    `json:"scaling"`
	}
	for _, test := range []struct{ text, want string }{
		{`{"vocab_size": "12"}`, "vocab_size is a string, must be a whole number"},
		{`{"vocab_size": 1.5}`, "vocab_size is a number 1.5, must be a whole number"},
		{`{"vocab_size": 99999999999999999999}`, "vocab_size is 99999999999999999999, must be a smaller number"},
		{`{"vocab_size": 1e30}`, "vocab_size is a number 1e30, must be a whole number"},
		{`{"scaling": {"factor": 1e999}}`, "scaling.factor is 1e999, must be a smaller number"},
		{`{"tied": {}}`, "tied is an object, must be true or false"},
		{`{"names": 3}`, "names is a number, must be a list"},
		{`{"names": [3]}`, "names is a number, must be a string"},
		{`{"scaling": {"factor": []}}`, "scaling.factor is an array, must be a number"},
		{`[]`, "the content is an array, must be an object"},
		{`{`, "not JSON at byte 1: unexpected end of JSON input"},
	} {
		if got := jsonerror.Describe(json.Unmarshal([]byte(test.text), &config{})); got == nil || got.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.text, got, test.want)
		}
	}
	other := errors.New("other")
	if jsonerror.Describe(other) != other || jsonerror.Describe(nil) != nil {
		t.Error("another error is changed")
	}
}
