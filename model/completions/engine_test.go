package completions

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestParseAddress(t *testing.T) {
	for text, want := range map[string]Address{
		"http://localhost:8000/v1#org/model":        {"http://localhost:8000/v1", "org/model", ""},
		"https://example.org/v1/":                   {"https://example.org/v1", "", ""},
		"http://[::1]:8000/v1#a b":                  {"http://[::1]:8000/v1", "a b", ""},
		"http://x/v1?tokenizer=%2Fmy%20models%2F#m": {"http://x/v1", "m", "/my models/"},
	} {
		if got, err := ParseAddress(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"http://":                             "names no host",
		"http://#m":                           "names no host",
		"http://:8000/v1":                     "names no host",
		"ftp://x/v1":                          "does not begin with http",
		"nano":                                "does not begin with http",
		"http://x/v1?a=b":                     "only ?tokenizer=FOLDER is known",
		"http://x/v1?%zz":                     "only ?tokenizer=FOLDER is known",
		"http://x/v1?tokenizer=a&tokenizer=b": "several tokenizers",
		"http://x:port/v1":                    "invalid port",
		"http://x:0/v1":                       "between 1 and 65535",
		"http://x:70000/v1":                   "between 1 and 65535",
		"http://me:secret@x/v1":               "a user's name",
	} {
		if got, err := ParseAddress(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v; want %q in the error", text, got, err, want)
		}
	}
}

func TestWithTokenizer(t *testing.T) {
	text, err := WithTokenizer("https://x:1/v1#org/m", "/my models/a&b#c")
	if err != nil {
		t.Fatal(err)
	}
	want := Address{"https://x:1/v1", "org/m", "/my models/a&b#c"}
	if got, err := ParseAddress(text); err != nil || got != want {
		t.Errorf("%s: %+v, %v", text, got, err)
	}
	if again, err := WithTokenizer(text, want.Tokenizer); err != nil || again != text {
		t.Errorf("the same tokenizer once more: %s, %v", again, err)
	}
	if _, err := WithTokenizer(text, "other"); err == nil || !strings.Contains(err.Error(), "name one") {
		t.Errorf("another tokenizer: %v", err)
	}
	if _, err := WithTokenizer("http://#m", "other"); err == nil || !strings.Contains(err.Error(), "names no host") {
		t.Errorf("no host: %v", err)
	}
}

var document = []int32{1, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50}

func argmax(logits []float32) int32 {
	best := 0
	for i, v := range logits {
		if v > logits[best] {
			best = i
		}
	}
	return int32(best)
}

func TestLogitsOfEveryForm(t *testing.T) {
	for _, form := range []string{"vllm", "openai", "llama.cpp"} {
		t.Run(form, func(t *testing.T) {
			s := newTestServer(t, form, document)
			e := s.open(t, nil)
			if e.MaxContext() != 1023 || e.VocabSize() != s.tok.Size() || e.Address().Model != "nano" {
				t.Errorf("context %d, vocabulary %d, model %q", e.MaxContext(), e.VocabSize(), e.Address().Model)
			}
			c, err := e.NewCache()
			if err != nil {
				t.Fatal(err)
			}
			before := e.requests.Load()
			for i := range len(document) - 1 {
				logits, err := c.Extend(t.Context(), document[i:i+1], 0)
				if err != nil {
					t.Fatal(err)
				}
				if got := argmax(logits); got != document[i+1] {
					t.Fatalf("after %d comes %d", document[i], got)
				}
				sum := 0.0
				for _, v := range logits {
					sum += math.Exp(float64(v))
				}
				if math.Abs(sum-1) > 1e-4 || math.Abs(math.Exp(float64(logits[document[i+1]]))-s.sure) > 1e-6 {
					t.Errorf("probabilities add up to %g, the told one is %g", sum, math.Exp(float64(logits[document[i+1]])))
				}
			}
			// The server knew the document: one answer had all, after one
			// refusal where its form has no extensions.
			if n := e.requests.Load() - before; n > 2 || form != "openai" && n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// TestOtherChoice goes on otherwise than the server did, which takes one request
// more, and back, which takes none.
func TestOtherChoice(t *testing.T) {
	s := newTestServer(t, "vllm", document)
	e := s.open(t, nil)
	c, _ := e.NewCache()
	ask := func(ids ...int32) int32 {
		t.Helper()
		logits, err := c.Extend(t.Context(), ids, len(ids)-1)
		if err != nil {
			t.Fatal(err)
		}
		return argmax(logits)
	}
	if got := ask(40, 41, 42); got != 43 {
		t.Errorf("42, then %d", got)
	}
	if got := ask(47); got != 48 {
		t.Errorf("47, then %d", got)
	}
	if n := e.requests.Load(); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
	if err := c.Rewind(2); err != nil {
		t.Fatal(err)
	}
	if got := ask(42, 43); got != 44 || c.Len() != 4 {
		t.Errorf("43, then %d; %d positions", got, c.Len())
	}
	logits, err := c.Extend(t.Context(), []int32{45, 46}, 0)
	if err != nil || len(logits) != 2*e.VocabSize() || argmax(logits[:e.VocabSize()]) != 46 || argmax(logits[e.VocabSize():]) != 47 {
		t.Errorf("two rows: %d logits, %v", len(logits), err)
	}
	prompt := s.requests[0]["prompt"].([]any)
	if len(prompt) != 3 || s.requests[0]["model"] != "nano" || s.requests[0]["temperature"] != 0.0 {
		t.Errorf("the request is %v", s.requests[0])
	}
}

func TestStopTokens(t *testing.T) {
	s := newTestServer(t, "vllm", document)
	e := s.open(t, func(o *Options) { o.StopTokens = []int32{44} })
	c, _ := e.NewCache()
	if _, err := c.Extend(t.Context(), []int32{41}, 0); err != nil {
		t.Fatal(err)
	}
	ahead := c.(*cache).ahead
	if !slices.Equal(ahead.ids, []int32{42, 43, 44}) || len(ahead.rows) != 3 {
		t.Errorf("the server went on with %v", ahead.ids)
	}
}

func TestContextIsNotExceeded(t *testing.T) {
	s := newTestServer(t, "vllm", document)
	e := s.open(t, nil)
	c, _ := e.NewCache()
	if _, err := c.Extend(t.Context(), make([]int32, 1023), 1022); err != nil {
		t.Errorf("a full context: %v", err)
	}
	if _, err := c.Extend(t.Context(), []int32{1}, 0); err == nil || !strings.Contains(err.Error(), "context of 1023") || c.Len() != 1023 {
		t.Errorf("one more: %v, %d positions", err, c.Len())
	}
}

func TestRetries(t *testing.T) {
	for _, test := range []struct {
		name   string
		n      int
		status int
		want   string // in the error; "" for none
	}{
		{"busy", 2, 503, ""},
		{"too many", 3, 429, ""},
		{"for ever", 100, 500, "tried 4 times"},
		{"not found", 1, 404, "Not Found: try again"},
		{"not allowed", 1, 401, "Unauthorized"},
	} {
		s := newTestServer(t, "vllm", document)
		e := s.open(t, nil)
		c, _ := e.NewCache()
		s.fail(test.n, test.status)
		_, err := c.Extend(t.Context(), []int32{41}, 0)
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) || len(err.Error()) > 500):
			t.Errorf("%s: the error is %v, want %q in it", test.name, err, test.want)
		case test.want != "" && c.Len() != 0:
			t.Errorf("%s: %d positions are left", test.name, c.Len())
		}
	}
}

// hang makes requests wait until the client leaves.
func (s *testServer) hang(reached *atomic.Bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = func(_ http.ResponseWriter, r *http.Request) bool {
		buf := make([]byte, 1<<16)
		for {
			if _, err := r.Body.Read(buf); err != nil {
				break
			}
		}
		reached.Store(true)
		<-r.Context().Done()
		return true
	}
}

// cancelledOnce is cancelled as soon as the server is reached.
func cancelledOnce(t *testing.T, reached *atomic.Bool) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for !reached.Load() {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	return ctx
}

func TestCancel(t *testing.T) {
	s := newTestServer(t, "vllm", document)
	e := s.open(t, nil)
	c, _ := e.NewCache()
	var reached atomic.Bool
	s.hang(&reached)
	if _, err := c.Extend(cancelledOnce(t, &reached), []int32{41}, 0); !errors.Is(err, context.Canceled) || c.Len() != 0 {
		t.Errorf("%v, %d positions", err, c.Len())
	}
}

// A server that is silent is given up after one time-out, and named.
func TestTimeout(t *testing.T) {
	s := newTestServer(t, "vllm", document)
	e := s.open(t, nil)
	e.options.Timeout = 20 * time.Millisecond
	c, _ := e.NewCache()
	var reached atomic.Bool
	s.hang(&reached)
	_, err := c.Extend(t.Context(), []int32{41}, 0)
	if want := "asking " + s.URL + "/v1#nano: no answer to POST /completions within 20ms; is a"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	if n := e.requests.Load(); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	o := s.options()
	o.OpenTimeout = 20 * time.Millisecond
	_, err = Open(t.Context(), o)
	if want := "the model at " + s.URL + "/v1: no answer to GET /models within 20ms; is a"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

// An answer that begins and does not end is given up like none.
func TestHalfAnAnswer(t *testing.T) {
	s := newTestServer(t, "vllm", document)
	s.before = func(w http.ResponseWriter, r *http.Request) bool {
		_, _ = w.Write([]byte(`{"data": [`))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return true
	}
	o := s.options()
	o.OpenTimeout = 50 * time.Millisecond
	if _, err := Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), "no answer to GET /models within 50ms") {
		t.Error(err)
	}
}

func TestOpenIsCancelled(t *testing.T) {
	s := newTestServer(t, "vllm", document)
	var reached atomic.Bool
	s.hang(&reached)
	if _, err := Open(cancelledOnce(t, &reached), s.options()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestOpenErrors(t *testing.T) {
	s := newTestServer(t, "vllm", document)
	answer := func(text string) {
		s.before = func(w http.ResponseWriter, r *http.Request) bool {
			_, _ = w.Write([]byte(text))
			return true
		}
	}
	for _, test := range []struct{ models, name, want string }{
		{`{"data": [{"id": "a"}, {"id": "b"}]}`, "", "say which with #NAME; the server has a, b"},
		{`{"data": [{"id": "a"}, {"id": "b"}]}`, "c", `no model "c"; it has a, b`},
		{`<html>`, "", "not that of a completions server"},
		{`{"data": 1}`, "", "data is a number, must be a list"},
	} {
		answer(test.models)
		o := s.options()
		o.Address.Model = test.name
		if _, err := Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: the error is %v, want %q in it", test.models, err, test.want)
		}
	}
	o := s.options()
	s.Close()
	if _, err := Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), "refused; is a completions server running there? (tried 4 times)") {
		t.Errorf("no server: %v", err)
	}
}

func TestStrangeAnswers(t *testing.T) {
	s := newTestServer(t, "vllm", document)
	e := s.open(t, nil)
	for _, test := range []struct{ answer, want string }{
		{`{}`, "no token"},
		{`{"choices": [{"text": "x"}]}`, "no logprobs"},
		{`{"choices": [{"logprobs": {"tokens": ["x"]}}]}`, "no logprobs"},
		{`{"choices": [{"logprobs": {"tokens": ["no such token"], "top_logprobs": [{}]}}]}`, "the tokenizer is not the model's"},
		{`{"choices": [{"logprobs": {"content": [{"token": "x"}]}}]}`, "does not tell the ids"},
		{`{"choices": [{"logprobs": {"tokens": [], "top_logprobs": []}}]}`, "no token"},
		{`{"choices": 7}`, "choices is a number"},
	} {
		s.before = func(w http.ResponseWriter, r *http.Request) bool {
			_, _ = w.Write([]byte(test.answer))
			return true
		}
		c, _ := e.NewCache()
		if _, err := c.Extend(t.Context(), []int32{41}, 0); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: the error is %v, want %q in it", test.answer, err, test.want)
		}
	}
}

func TestTokenID(t *testing.T) {
	s := newTestServer(t, "vllm", document)
	e := s.open(t, nil)
	frame, _ := s.tok.Special("<|frame_sep|>")
	for name, want := range map[string]int32{
		"token_id:17": 17, `bytes:\xff`: s.tok.Encode(nil, "\xff")[0], "<|frame_sep|>": frame, "(": s.tok.Encode(nil, "(")[0],
	} {
		if got, ok := e.tokenID(name); !ok || got != want {
			t.Errorf("%q is %d, %v; want %d", name, got, ok, want)
		}
	}
	if id, ok := e.tokenID("no such token"); ok {
		t.Errorf("an unknown token is %d", id)
	}
}

func TestClosedEngine(t *testing.T) {
	s := newTestServer(t, "vllm", document)
	e := s.open(t, nil)
	c, _ := e.NewCache()
	e.Close()
	if _, err := c.Extend(t.Context(), []int32{1}, 0); !errors.Is(err, errClosed) {
		t.Error(err)
	}
	if _, err := e.NewCache(); !errors.Is(err, errClosed) {
		t.Error(err)
	}
}
