package adapter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-dap"
	"github.com/rs/zerolog"

	"github.com/neuraldbg/neuraldbg/adapter"
	"github.com/neuraldbg/neuraldbg/adapter/daptest"
	"github.com/neuraldbg/neuraldbg/model"
)

// anyRequest returns any request, with arguments that make sense now and then.
func anyRequest(r *rand.Rand, program string) (command string, arguments map[string]any) {
	id := r.IntN(40)
	expression := pick(r, "n", "s[0]", "x", "n +", "f(1)", "", "point[1]")
	modifiers := map[string]any{
		"line": r.IntN(10), "condition": pick(r, "", "", "n == 1", "n /", "1 / 0"),
		"hitCondition": pick(r, "", "", "2", "% 2", "x"), "logMessage": pick(r, "", "", "n is {n}", "{"),
		"name": pick(r, "f", "count", "nothing"), "dataId": pick(r, "count: n", "f: x", "x"), "filterId": pick(r, "raised", "uncaught", "no"),
	}
	switch r.IntN(12) {
	case 0:
		return "setBreakpoints", map[string]any{"source": map[string]any{"path": program}, "breakpoints": []any{modifiers}[:r.IntN(2)]}
	case 1:
		return pick(r, "setFunctionBreakpoints", "setDataBreakpoints"), map[string]any{"breakpoints": []any{modifiers}[:r.IntN(2)]}
	case 2:
		return "setExceptionBreakpoints", map[string]any{"filters": []string{}, "filterOptions": []any{modifiers}[:r.IntN(2)]}
	case 3:
		return pick(r, "scopes", "restartFrame", "stepInTargets"), map[string]any{"frameId": id}
	case 4:
		return pick(r, "variables", "setVariable", "dataBreakpointInfo"), map[string]any{"variablesReference": id, "name": pick(r, "n", "x", "shown", "0"), "value": pick(r, "7", "n + 1", "2", "[")}
	case 5:
		return pick(r, "evaluate", "setExpression", "completions"), map[string]any{"expression": expression, "value": "3", "text": expression, "column": r.IntN(9), "context": pick(r, "hover", "watch", "repl")}
	case 6:
		return pick(r, "gotoTargets", "breakpointLocations", "source", "loadedSources"), map[string]any{"source": map[string]any{"path": program}, "line": r.IntN(10), "endLine": 9}
	case 7:
		return pick(r, "goto", "stepIn"), map[string]any{"threadId": 1, "targetId": id}
	case 8:
		return pick(r, "cancel", "neuraldbg/chooseAlternative"), map[string]any{"requestId": r.IntN(500), "index": r.IntN(4)}
	case 9:
		return pick(r, "restart", "threads", "exceptionInfo"), map[string]any{"threadId": 1}
	}
	return pick(r, "next", "stepIn", "stepOut", "stepBack", "continue", "reverseContinue", "pause", "stackTrace"), map[string]any{"threadId": 1, "granularity": pick(r, "", "instruction")}
}

// TestManyRequests: a client that sends requests of all kinds, waiting for the
// session to stop or not, gets one answer to each, and the session lives,
// whatever predicts.
func TestManyRequests(t *testing.T) {
	berry, line := countBerry(t), written(t, straight, "f")
	for name, c := range map[string]struct {
		p       subject
		keys    map[string]any
		factory func(seed uint64) adapter.PredictorFactory
	}{
		"replay": {berry, nil, func(uint64) adapter.PredictorFactory { return replaying(t, berry.call) }},
		"walker": {line, map[string]any{"arguments": map[string]string{"x": "1"}}, func(uint64) adapter.PredictorFactory {
			return func(context.Context, adapter.LaunchConfig) (model.Predictor, error) { return walker{}, nil }
		}},
		"liar": {line, map[string]any{"arguments": map[string]string{"x": "1"}, "maxSteps": 20, "samples": 3}, func(seed uint64) adapter.PredictorFactory {
			return func(context.Context, adapter.LaunchConfig) (model.Predictor, error) { return newLiar(seed), nil }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(8) {
				r := rand.New(rand.NewPCG(seed, 0))
				s := connect(t, c.factory(seed))
				c.p.launch(s, c.keys)
				sent := map[int]string{}
				for range 300 {
					command, arguments := anyRequest(r, c.p.path)
					seq, err := s.Client.Send(command, arguments)
					if err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
					sent[seq] = command
					for waits := seed%2 == 0; waits; {
						_, err := s.Client.Request("stackTrace", map[string]any{"threadId": 1})
						waits = err != nil && strings.Contains(err.Error(), "notStopped") && !ended(s)
					}
				}
				s.Request("threads", nil)
				s.Disconnect()
				checkAnswers(t, s.Client.Transcript(), sent)
			}
		})
	}
}

// ended reports whether the session has told that debugging is over.
func ended(s *daptest.Script) bool {
	return slices.Contains(daptest.Names(s.Client.Transcript()), "event:terminated")
}

// checkAnswers checks that messages are counted, that every request that was
// sent was answered once, and that nothing went wrong inside.
func checkAnswers(t *testing.T, transcript []dap.Message, sent map[int]string) {
	t.Helper()
	answers := map[int]int{}
	for i, m := range transcript {
		if m.GetSeq() != i+1 {
			t.Fatalf("message %d has seq %d", i+1, m.GetSeq())
		}
		if response, ok := m.(dap.ResponseMessage); ok {
			answers[response.GetResponse().RequestSeq]++
		}
		if text, err := json.Marshal(m); err != nil || strings.Contains(string(text), "internal error") {
			t.Errorf("%s, %v", text, err)
		}
	}
	for seq, command := range sent {
		if n := answers[seq]; n != 1 {
			t.Errorf("request %d, %s, was answered %d times", seq, command, n)
		}
	}
}

// FuzzRequest: whatever the arguments of a request are, it is answered once, and
// the session lives.
func FuzzRequest(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		command, arguments := anyRequest(r, "/nowhere/f.py")
		text, _ := json.Marshal(arguments)
		f.Add(command, text)
	}
	for _, command := range []string{"initialize", "launch", "configurationDone", "terminate", "disconnect", "readMemory", "nonsense"} {
		f.Add(command, []byte("{}"))
	}
	f.Add("launch", []byte(`{"program": 7, "from": {"event": "line"}, "continueStrategy": 1}`))
	f.Add("variables", []byte(`{"variablesReference": 1, "start": -1, "count": -5, "filter": "x"}`))
	f.Add("stackTrace", []byte(`{"threadId": 1, "startFrame": -9, "levels": 9223372036854775807}`))
	f.Add("stackTrace", []byte(`{"threadId": 1, "startFrame": 1, "levels": 9223372036854775807}`))
	f.Add("variables", []byte(`{"variablesReference": 1, "start": 1, "count": 9223372036854775807}`))
	f.Fuzz(func(t *testing.T, command string, arguments []byte) {
		if !json.Valid(arguments) {
			return
		}
		p := written(t, straight, "f")
		server := &adapter.Server{Log: zerolog.Nop(), Factory: func(context.Context, adapter.LaunchConfig) (model.Predictor, error) { return walker{}, nil }}
		client := daptest.Serve(context.Background(), server.Serve)
		defer client.Close()
		s := daptest.NewScript(t, client)
		p.launch(s, map[string]any{"arguments": map[string]string{"x": "1"}})
		s.Locals()
		seq, err := client.Send(command, json.RawMessage(arguments))
		if err != nil {
			t.Fatal(err)
		}
		if r, err := client.Response(seq); err != nil && strings.Contains(err.Error(), "internal error") || r == nil && err == nil {
			t.Fatalf("%s %s: %v, %v", command, arguments, r, err)
		}
		if command != "disconnect" {
			s.Request("threads", nil)
		}
	})
}

// TestManySessionsAtOnce on one TCP server, each with its own state.
func TestManySessionsAtOnce(t *testing.T) {
	const sessions = 200
	p := countBerry(t)
	recordOnce(t, p.path, p.call)
	address := listen(t, replaying(t, p.call))
	var all sync.WaitGroup
	failures := make(chan string, sessions)
	for i := range sessions {
		all.Add(1)
		go func() {
			defer all.Done()
			if err := berrySession(address, p, i%5); err != nil {
				failures <- fmt.Sprintf("session %d: %v", i, err)
			}
		}()
	}
	all.Wait()
	close(failures)
	for failure := range failures {
		t.Error(failure)
	}
}

// berrySession debugs up to one of the five letters and looks at it.
func berrySession(address string, p subject, letter int) error {
	c, err := daptest.Dial(context.Background(), address)
	if err != nil {
		return err
	}
	defer c.Close()
	c.Timeout = patience
	var failed reporter
	s := daptest.NewScript(&failed, c)
	s.Initialize()
	s.Launch(map[string]any{"program": p.path, "entry": p.call})
	s.SetBreakpoints(p.path, 4)
	s.ConfigurationDone()
	s.ExpectStopped("entry")
	for range letter + 1 {
		s.Continue()
		s.ExpectStopped("breakpoint")
	}
	s.ExpectLocal("c", fmt.Sprintf("'%c'", "berry"[letter]))
	s.Disconnect()
	return failed.err
}

// reporter keeps the first failure of a script that is no test's own.
type reporter struct{ err error }

func (*reporter) Helper() {}
func (r *reporter) Fatalf(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// TestClientsThatMisbehave leave nothing behind and harm no other session: they
// vanish at any moment, send half a message, send what is none, or stall.
func TestClientsThatMisbehave(t *testing.T) {
	p := countBerry(t)
	address := listen(t, replaying(t, p.call))
	raw := func() net.Conn {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		return conn
	}
	message := func(command string, arguments any) []byte {
		body, err := json.Marshal(map[string]any{"seq": 1, "type": "request", "command": command, "arguments": arguments})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	conversation := append(message("initialize", map[string]any{"adapterID": "x", "supportsProgressReporting": true}),
		append(message("launch", map[string]any{"program": p.path, "entry": p.call}),
			append(message("configurationDone", nil), message("continue", map[string]any{"threadId": 1})...)...)...)
	stalled := raw() // sends half a message and nothing more
	defer stalled.Close()
	stalled.Write(conversation[:70])
	for cut := 1; cut < len(conversation); cut += 13 { // vanishes
		conn := raw()
		conn.Write(conversation[:cut])
		conn.Close()
	}
	for _, nonsense := range []string{"\x00\x01", "Content-Length: 5\r\n\r\n{{{{{", "Content-Length: 99999999999\r\n\r\n", strings.Repeat("x", 10000)} {
		conn := raw()
		conn.Write([]byte(nonsense))
		conn.(*net.TCPConn).CloseWrite()
		io.Copy(io.Discard, conn)
		conn.Close()
	}
	if err := berrySession(address, p, 2); err != nil {
		t.Error(err)
	}
}

// TestClientThatDoesNotRead is left when too much waits for it.
func TestClientThatDoesNotRead(t *testing.T) {
	p := countBerry(t)
	ours, theirs := net.Pipe() // takes nothing that is not read
	server := &adapter.Server{Factory: replaying(t, p.call), Log: zerolog.Nop()}
	served := make(chan error, 1)
	go func() { served <- server.Serve(context.Background(), theirs) }()
	body := `{"seq":1,"type":"request","command":"threads"}`
	flood := strings.Repeat(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body), 100)
	for range 1000 {
		if _, err := ours.Write([]byte(flood)); err != nil {
			break
		}
	}
	select {
	case err := <-served:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Error("the session goes on")
	}
	ours.Close()
	checkLeaks(t)
}

// TestFlood: a client that sends as fast as it can gets all answers.
func TestFlood(t *testing.T) {
	s := launchCount(t)
	sent := map[int]string{}
	for range 3000 {
		seq, err := s.Client.Send("stackTrace", map[string]any{"threadId": 1})
		if err != nil {
			t.Fatal(err)
		}
		sent[seq] = "stackTrace"
	}
	s.Disconnect()
	checkAnswers(t, s.Client.Transcript(), sent)
}
