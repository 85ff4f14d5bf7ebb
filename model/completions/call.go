package completions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/neuraldbg/neuraldbg/model/jsonerror"
)

// complete asks for the continuation of ids.
func (e *Engine) complete(ctx context.Context, ids []int32) (continuation, error) {
	n := lookahead
	if limit := e.options.MaxContext; limit > 0 {
		n = max(1, min(n, limit-len(ids)))
	}
	next, err := e.ask(ctx, ids, n, e.options.StopTokens)
	if err == nil && len(next.rows) == 0 && len(e.options.StopTokens) > 0 {
		// The server left out the stop token that it ended with.
		next, err = e.ask(ctx, ids, 1, nil)
	}
	if err == nil && len(next.rows) == 0 {
		err = errNoToken
	}
	return next, err
}

func (e *Engine) ask(ctx context.Context, ids []int32, n int, stop []int32) (continuation, error) {
	r := request{Model: e.options.Address.Model, Prompt: ids, MaxTokens: n, Logprobs: topLogprobs}
	if !e.plain.Load() {
		r.extensions = &extensions{TokensAsIDs: true, StopTokens: stop, IncludeStop: true}
	}
	var answer response
	e.requests.Add(1)
	err := e.call(ctx, e.options.Timeout, http.MethodPost, "/completions", r, &answer)
	if status := new(statusError); r.extensions != nil && errors.As(err, &status) && status.unknownParameter() {
		e.plain.Store(true)
		return e.ask(ctx, ids, n, stop)
	}
	if err != nil {
		return continuation{}, err
	}
	next := continuation{after: append([]int32(nil), ids...)}
	next.ids, next.rows, err = e.read(&answer)
	return next, err
}

// statusError is an answer with an HTTP status that is not success.
type statusError struct {
	status  int
	message string
}

func (e *statusError) Error() string {
	return fmt.Sprintf("%s: %s", http.StatusText(e.status), e.message)
}

// passes reports whether the same request may succeed later.
func (e *statusError) passes() bool {
	return e.status == http.StatusTooManyRequests || e.status == http.StatusRequestTimeout || e.status >= 500
}

// unknownParameter reports whether the server refused one of the extensions.
func (e *statusError) unknownParameter() bool {
	if e.status != http.StatusBadRequest && e.status != http.StatusUnprocessableEntity {
		return false
	}
	for _, name := range []string{"return_tokens_as_token_ids", "stop_token_ids", "include_stop_str_in_output", "skip_special_tokens"} {
		if strings.Contains(e.message, name) {
			return true
		}
	}
	return false
}

// silentError is a server that does not answer in time.
type silentError struct {
	request string
	timeout time.Duration
}

func (e *silentError) Error() string {
	return fmt.Sprintf("no answer to %s within %v; is a completions server running there, and not stuck or overloaded?", e.request, e.timeout)
}

// call sends a request, again when it failed for a reason that may pass.
func (e *Engine) call(ctx context.Context, timeout time.Duration, method, path string, body, answer any) error {
	wait := e.options.Wait
	for try := 0; ; try++ {
		err := e.callOnce(ctx, timeout, method, path, body, answer)
		status := new(statusError)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &status) && !status.passes() || errors.As(err, new(*silentError)):
			return err
		case try == e.options.Retries:
			return fmt.Errorf("%w (tried %d times)", err, try+1)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		wait *= 2
	}
}

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 64 << 20

func (e *Engine) callOnce(ctx context.Context, timeout time.Duration, method, path string, body, answer any) error {
	silent := &silentError{method + " " + path, timeout}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("write the request: %w", err)
		}
		sent = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, e.options.Address.URL+path, sent)
	if err != nil {
		return fmt.Errorf("make the request: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	if e.options.Key != "" {
		r.Header.Set("Authorization", "Bearer "+e.options.Key)
	}
	response, err := e.options.Client.Do(r)
	if err != nil {
		return failedToSend(err, silent)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if errors.Is(err, context.DeadlineExceeded) {
		return silent
	}
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if response.StatusCode/100 != 2 {
		return &statusError{response.StatusCode, shortened(serverError(text))}
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("the answer is not that of a completions server: %w", jsonerror.Describe(err))
	}
	return nil
}

// failedToSend says why there is no answer, without the URL, which whoever asked
// tells.
func failedToSend(err error, silent *silentError) error {
	var whole *url.Error
	if errors.As(err, &whole) {
		err = whole.Err
	}
	var network *net.OpError
	switch {
	case errors.As(err, &network) && network.Op == "dial" && network.Timeout():
		return &silentError{"a connection", min(silent.timeout, connectTimeout)}
	case errors.As(err, &network) && network.Op == "dial":
		return fmt.Errorf("%w; is a completions server running there?", err)
	case errors.Is(err, context.DeadlineExceeded):
		return silent
	}
	return err
}

// shortened is a message on one line of bearable length.
func shortened(message string) string {
	const most = 300
	message = strings.Join(strings.Fields(message), " ")
	message = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1 // it would command the user's terminal
		}
		return r
	}, message)
	if len(message) > most {
		message = strings.ToValidUTF8(message[:most], "") + "…"
	}
	return message
}
