package completions

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neuraldbg/neuraldbg/model/tokenizer"
)

// testServer is a completions server whose model knows a document by heart. It
// answers in the form of one of the servers that there are.
type testServer struct {
	*httptest.Server
	form     string // "vllm", "openai" or "llama.cpp"
	tok      *tokenizer.Tokenizer
	document []int32
	// sure is the probability of the document's next token; unsure have another
	// token before it at these places of the document.
	sure   float64
	unsure map[int]int32

	mu       sync.Mutex
	requests []map[string]any
	// before may answer a request itself.
	before func(w http.ResponseWriter, r *http.Request) bool
}

func newTestServer(t *testing.T, form string, document []int32) *testServer {
	t.Helper()
	tok, err := tokenizer.Load("../nano/tokenizer.json")
	if err != nil {
		t.Fatal(err)
	}
	s := &testServer{form: form, tok: tok, document: document, sure: 0.9, unsure: map[int]int32{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("POST /v1/completions", s.completions)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		before := s.before
		s.mu.Unlock()
		if before == nil || !before(w, r) {
			mux.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *testServer) models(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprint(w, `{"object": "list", "data": [{"id": "nano", "object": "model", "max_model_len": 1024}]}`)
}

func refuse(w http.ResponseWriter, status int, format string, args ...any) {
	w.WriteHeader(status)
	message, _ := json.Marshal(fmt.Sprintf(format, args...))
	fmt.Fprintf(w, `{"error": {"message": %s, "type": "BadRequestError", "code": %d}}`, message, status)
}

func (s *testServer) completions(w http.ResponseWriter, r *http.Request) {
	var raw map[string]any
	var more extensions
	asked := request{extensions: &more}
	var text json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&text); err != nil {
		refuse(w, 400, "%v", err)
		return
	}
	for _, into := range []any{&raw, &asked} {
		if err := json.Unmarshal(text, into); err != nil {
			refuse(w, 400, "%v", err)
			return
		}
	}
	s.mu.Lock()
	s.requests = append(s.requests, raw)
	s.mu.Unlock()
	if s.form == "openai" && raw["return_tokens_as_token_ids"] != nil {
		refuse(w, 400, "Unrecognized request argument supplied: return_tokens_as_token_ids")
		return
	}
	if len(asked.Prompt)+asked.MaxTokens > 1024 {
		refuse(w, 400, "This model's maximum context length is 1024 tokens.")
		return
	}
	ids := asked.Prompt
	var tops []map[int32]float64
	reason := "length"
	for range asked.MaxTokens {
		top := s.next(ids)
		best := int32(-1)
		for id, p := range top {
			if best < 0 || p > top[best] {
				best = id
			}
		}
		ids, tops = append(ids, best), append(tops, top)
		if s.form == "vllm" && contains(more.StopTokens, best) {
			reason = "stop"
			break
		}
	}
	s.answer(w, ids[len(asked.Prompt):], tops, more.TokensAsIDs, reason)
}

func contains(ids []int32, id int32) bool {
	for _, i := range ids {
		if i == id {
			return true
		}
	}
	return false
}

// next is the distribution after ids: the document that shares the longest run
// with the end of ids goes on.
func (s *testServer) next(ids []int32) map[int32]float64 {
	best, at := -1, 0
	for end := range s.document {
		n := 0
		for n < end && n < len(ids) && s.document[end-1-n] == ids[len(ids)-1-n] {
			n++
		}
		if n > best {
			best, at = n, end
		}
	}
	if other, ok := s.unsure[at]; ok {
		return map[int32]float64{other: s.sure, s.document[at]: (1 - s.sure) / 2}
	}
	return map[int32]float64{s.document[at]: s.sure, s.document[0]: (1 - s.sure) / 2}
}

func (s *testServer) name(id int32, asID bool) string {
	if asID {
		return fmt.Sprintf("token_id:%d", id)
	}
	text, _ := s.tok.Token(id)
	return string(text)
}

// answer writes a response in the server's form.
func (s *testServer) answer(w http.ResponseWriter, ids []int32, tops []map[int32]float64, asIDs bool, reason string) {
	choice := map[string]any{"index": 0, "text": "…", "finish_reason": reason}
	if s.form == "llama.cpp" {
		var list []any
		for i, id := range ids {
			var top []any
			for other, p := range tops[i] {
				top = append(top, map[string]any{"id": other, "token": "?", "bytes": []int{63}, "logprob": math.Log(p)})
			}
			list = append(list, map[string]any{"id": id, "token": "?", "logprob": math.Log(tops[i][id]), "top_logprobs": top})
		}
		choice["logprobs"] = map[string]any{"content": list}
	} else {
		var names []string
		var logProbs []float64
		var top []map[string]float64
		for i, id := range ids {
			names = append(names, s.name(id, asIDs))
			logProbs = append(logProbs, math.Log(tops[i][id]))
			named := map[string]float64{}
			for other, p := range tops[i] {
				named[s.name(other, asIDs)] = math.Log(p)
			}
			top = append(top, named)
		}
		choice["logprobs"] = map[string]any{"tokens": names, "token_logprobs": logProbs, "top_logprobs": top, "text_offset": []int{}}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "text_completion", "choices": []any{choice}})
}

// open opens the engine on the server, with waits that do not slow tests down.
func (s *testServer) open(t *testing.T, change func(*Options)) *Engine {
	t.Helper()
	o := s.options()
	if change != nil {
		change(&o)
	}
	e, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func (s *testServer) options() Options {
	return Options{
		Address: Address{URL: s.URL + "/v1"}, Vocabulary: s.tok, Client: s.Client(),
		Wait: time.Millisecond, Timeout: 5 * time.Second,
	}
}

// fail makes the next n requests fail with a status.
func (s *testServer) fail(n, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = func(w http.ResponseWriter, _ *http.Request) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		if n--; n < 0 {
			return false
		}
		refuse(w, status, "try again %s", strings.Repeat("later ", 200))
		return true
	}
}
