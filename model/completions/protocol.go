package completions

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// modelList is the answer to /models.
type modelList struct {
	Data []listedModel `json:"data"`
}

type listedModel struct {
	ID          string `json:"id"`
	MaxModelLen int    `json:"max_model_len"` // vLLM
	Meta        struct {
		Context        int `json:"n_ctx"` // llama.cpp
		ContextTrained int `json:"n_ctx_train"`
	} `json:"meta"`
}

// context is the model's, 0 if it is not told.
func (m *listedModel) context() int {
	for _, n := range []int{m.MaxModelLen, m.Meta.Context, m.Meta.ContextTrained} {
		if n > 0 {
			return n
		}
	}
	return 0
}

// request asks for a completion.
type request struct {
	Model       string  `json:"model"`
	Prompt      []int32 `json:"prompt"`
	MaxTokens   int     `json:"max_tokens"`
	Temperature float64 `json:"temperature"`
	Logprobs    int     `json:"logprobs"`
	*extensions
}

// extensions are parameters of vLLM, and of others that follow it. Servers that
// know none mostly ignore them; see Engine.plain.
type extensions struct {
	// TokensAsIDs has tokens named "token_id:7" and not by text, which is
	// ambiguous.
	TokensAsIDs bool `json:"return_tokens_as_token_ids"`
	// StopTokens end the completion, themselves included.
	StopTokens []int32 `json:"stop_token_ids,omitempty"`
	// IncludeStop keeps the stop token in the answer.
	IncludeStop bool `json:"include_stop_str_in_output"`
	// SkipSpecial would leave special tokens out of texts.
	SkipSpecial bool `json:"skip_special_tokens"`
}

// response is the answer to /completions.
type response struct {
	Choices []struct {
		FinishReason string `json:"finish_reason"`
		Logprobs     *struct {
			// OpenAI's and vLLM's form.
			Tokens []string             `json:"tokens"`
			Top    []map[string]float64 `json:"top_logprobs"`
			// llama.cpp's.
			Content []content `json:"content"`
		} `json:"logprobs"`
	} `json:"choices"`
}

// content is one token of llama.cpp's form.
type content struct {
	namedToken
	Top []namedToken `json:"top_logprobs"`
}

type namedToken struct {
	ID      *int32   `json:"id"`
	Token   string   `json:"token"`
	LogProb *float64 `json:"logprob"`
}

var (
	errNoLogprobs = errors.New("its answer has no logprobs, which predictions are chosen by: llama.cpp and vLLM give them")
	errNoToken    = errors.New("its answer has no token")
)

// read finds the tokens and their distributions in an answer.
func (e *Engine) read(r *response) (ids []int32, rows []row, err error) {
	if len(r.Choices) == 0 {
		return nil, nil, errNoToken
	}
	l := r.Choices[0].Logprobs
	switch {
	case l == nil:
		return nil, nil, errNoLogprobs
	case len(l.Content) > 0:
		return e.readContent(l.Content)
	case len(l.Top) < len(l.Tokens):
		return nil, nil, errNoLogprobs
	}
	for i, name := range l.Tokens {
		id, ok := e.tokenID(name)
		if !ok {
			break // what follows a token that cannot be told has no use
		}
		var r row
		for name, p := range l.Top[i] {
			if id, ok := e.tokenID(name); ok {
				r.add(id, p)
			}
		}
		ids, rows = append(ids, id), append(rows, r)
	}
	if len(ids) == 0 && len(l.Tokens) > 0 {
		return nil, nil, fmt.Errorf("it generated the token %q, which the tokenizer does not have: the tokenizer is not the model's", l.Tokens[0])
	}
	return ids, rows, nil
}

func (e *Engine) readContent(list []content) (ids []int32, rows []row, err error) {
	for _, c := range list {
		if c.ID == nil {
			return nil, nil, errors.New("its answer does not tell the ids of tokens; a newer version of the server does")
		}
		var r row
		for _, t := range c.Top {
			if t.ID != nil && t.LogProb != nil {
				r.add(*t.ID, *t.LogProb)
			}
		}
		ids, rows = append(ids, *c.ID), append(rows, r)
	}
	return ids, rows, nil
}

// tokenID reads "token_id:7", "bytes:\xe2\x96", or a token's text.
func (e *Engine) tokenID(name string) (int32, bool) {
	if number, ok := strings.CutPrefix(name, "token_id:"); ok {
		if id, err := strconv.ParseInt(number, 10, 32); err == nil {
			return int32(id), true
		}
	}
	if escaped, ok := strings.CutPrefix(name, "bytes:"); ok {
		if text, err := strconv.Unquote(`"` + escaped + `"`); err == nil {
			name = text
		}
	}
	id, ok := e.byText[name]
	return id, ok
}

// serverError is what a server says in an error's body.
func serverError(body []byte) string {
	var e struct {
		Message string          `json:"message"` // vLLM before 0.9
		Detail  json.RawMessage `json:"detail"`
		Error   json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &e) == nil {
		var inner struct {
			Message string `json:"message"`
		}
		switch {
		case len(e.Error) > 0 && json.Unmarshal(e.Error, &inner) == nil && inner.Message != "":
			return inner.Message
		case len(e.Error) > 0:
			return string(e.Error)
		case e.Message != "":
			return e.Message
		case len(e.Detail) > 0:
			return string(e.Detail)
		}
	}
	return strings.TrimSpace(string(body))
}
