package daptest_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/daptest"
)

// scripted is an adapter that answers each request with the messages that the
// table has for its command. %d stands for the request's seq.
func scripted(answers map[string][]string) func(context.Context, io.ReadWriteCloser) error {
	return func(_ context.Context, conn io.ReadWriteCloser) error {
		defer conn.Close()
		r := bufio.NewReader(conn)
		for {
			m, err := dap.ReadProtocolMessage(r)
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
				return nil
			}
			if err != nil {
				return err
			}
			request := m.(dap.RequestMessage).GetRequest()
			for _, answer := range answers[request.Command] {
				body := strings.ReplaceAll(answer, "%d", fmt.Sprint(request.Seq))
				if err := dap.WriteBaseMessage(conn, []byte(body)); err != nil {
					return err
				}
			}
		}
	}
}

func connect(t *testing.T, answers map[string][]string) *daptest.Client {
	t.Helper()
	c := daptest.Serve(context.Background(), scripted(answers))
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		for _, stack := range daptest.Leaks("neuraldbg/adapter/daptest") {
			t.Errorf("left behind:\n%s", stack)
		}
	})
	return c
}

const (
	stoppedAtBreakpoint = `{"seq":1,"type":"event","event":"stopped","body":{"reason":"breakpoint","description":"at 4"}}`
	output              = `{"seq":1,"type":"event","event":"output","body":{"output":"x"}}`
	threads             = `{"seq":2,"type":"response","request_seq":%d,"success":true,"command":"threads","body":{"threads":[{"id":7,"name":"x"}]}}`
	next                = `{"seq":3,"type":"response","request_seq":%d,"success":true,"command":"next"}`
)

func TestMoveAndStop(t *testing.T) {
	c := connect(t, map[string][]string{"threads": {threads}, "next": {output, next, output, stoppedAtBreakpoint}})
	if err := c.Next(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ExpectStopped("breakpoint"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Event("output"); err != nil {
		t.Errorf("an event that came before is lost: %v", err)
	}
	want := []string{"response:threads", "event:output", "response:next", "event:output", "event:stopped"}
	if got := daptest.Names(c.Transcript()); !slices.Equal(got, want) {
		t.Errorf("transcript %q; want %q", got, want)
	}
}

func TestStoppedForAnotherReason(t *testing.T) {
	c := connect(t, map[string][]string{"threads": {threads}, "next": {next, stoppedAtBreakpoint}})
	if err := c.Next(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ExpectStopped("step"); err == nil || !strings.Contains(err.Error(), `"breakpoint" (at 4); want "step"`) {
		t.Errorf("got %v", err)
	}
}

// TestEndInsteadOfStop: the error comes at once, and has the adapter's words.
func TestEndInsteadOfStop(t *testing.T) {
	c := connect(t, map[string][]string{"threads": {threads,
		`{"seq":2,"type":"event","event":"output","body":{"output":"no model"}}`,
		`{"seq":3,"type":"event","event":"terminated"}`}})
	if _, err := c.Thread(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ExpectStopped(""); err == nil || !strings.Contains(err.Error(), "has ended") || !strings.Contains(err.Error(), `"no model"`) {
		t.Errorf("got %v", err)
	}
}

func TestFailedRequest(t *testing.T) {
	c := connect(t, map[string][]string{"launch": {
		`{"seq":1,"type":"response","request_seq":%d,"success":false,"command":"launch","message":"no program"}`}})
	var failed *daptest.ResponseError
	if err := c.Launch(nil); !errors.As(err, &failed) || failed.Message != "no program" {
		t.Errorf("got %v; want the response's message", err)
	}
}

// TestNothingComes: the error says what was waited for and what came.
func TestNothingComes(t *testing.T) {
	c := connect(t, map[string][]string{"threads": {threads}})
	if _, err := c.Thread(); err != nil {
		t.Fatal(err)
	}
	c.Timeout = 20 * time.Millisecond
	if _, err := c.ExpectStopped(""); err == nil || !strings.Contains(err.Error(), "event stopped or terminated: nothing within 20ms; received: [response:threads]") {
		t.Errorf("got %v", err)
	}
}

// fakeReporter keeps what a script reports.
type fakeReporter struct{ failure string }

func (*fakeReporter) Helper() {}
func (r *fakeReporter) Fatalf(format string, args ...any) {
	if r.failure == "" {
		r.failure = fmt.Sprintf(format, args...)
	}
}

func TestScriptReports(t *testing.T) {
	c := connect(t, map[string][]string{
		"threads":    {threads},
		"stackTrace": {`{"seq":1,"type":"response","request_seq":%d,"success":true,"command":"stackTrace","body":{"stackFrames":[{"id":1,"name":"f","line":3,"column":1}]}}`},
	})
	var r fakeReporter
	s := daptest.NewScript(&r, c)
	s.ExpectStack("f:3")
	s.ExpectLine(3)
	if r.failure != "" {
		t.Errorf("reported %q", r.failure)
	}
	if s.ExpectStack("g:4"); !strings.Contains(r.failure, `["f:3"]; want ["g:4"]`) {
		t.Errorf("reported %q", r.failure)
	}
}

func TestCustomEvent(t *testing.T) {
	c := connect(t, map[string][]string{"threads": {
		`{"seq":1,"type":"event","event":"own/thing","body":{"answer":42}}`,
		`{"seq":2,"type":"response","request_seq":%d,"command":"threads","success":true,"body":{"threads":[]}}`,
	}})
	if _, err := c.Request("threads", nil); err != nil {
		t.Fatal(err)
	}
	e, err := c.Event("own/thing")
	if err != nil {
		t.Fatal(err)
	}
	if got := string(e.(*daptest.CustomEvent).Body); got != `{"answer":42}` {
		t.Errorf("body %s", got)
	}
}
