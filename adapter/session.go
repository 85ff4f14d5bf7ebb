package adapter

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/google/go-dap"
	"github.com/rs/zerolog"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// threadID is the id of the only thread: a prediction has one.
const threadID = 1

// How long a session waits at its end: for a prediction to notice that it was
// cancelled, and for the client to take what was written. A client that reads
// takes it at once, unless its machine is busy.
const (
	goodbye  = time.Second
	lastRead = 5 * time.Second
)

// session is one client's debug session, from its connection to the end.
//
// Its goroutines, and who may touch what:
//
//   - loop (the caller of run) handles the requests one after the other. It owns
//     all fields but those named below. It waits for nothing but its channels,
//     never for the model and never for the client.
//   - read decodes what the client sends and hands it to the loop. It touches
//     no field but conn and incoming.
//   - write, in outbox, sends messages in the order in which they were put. It
//     is the only writer.
//   - work, at most one at a time, is a movement that waits for the model. It
//     owns timeline while it runs: the loop touches timeline only while
//     s.working() is false. It hands its result to the loop, as a function to be
//     called there, through posted. Events it may put by itself: what a print
//     wrote, notes, progress.
//
// Between movements the timeline may predict ahead, in a goroutine of its own that
// touches nothing of the session.
//
// Since a response is put before the loop takes the result of the work that the
// request began, the response to a step always comes before its stopped event.
type session struct {
	conn    io.ReadWriteCloser
	check   ModelCheck // may be nil
	factory PredictorFactory
	log     zerolog.Logger
	out     *outbox

	incoming chan incoming
	posted   chan func()   // from work to the loop
	ended    chan struct{} // closed when the loop has returned

	client      dap.InitializeRequestArguments
	initialized bool
	configured  bool
	finished    bool // terminated was sent, or the loop has returned: no event may follow
	leaving     bool // the loop returns after the message in hand
	after       []func()

	config      *LaunchConfig // nil before launch
	target      timeline.Target
	predictor   model.Predictor // nil until it is loaded
	timeline    *timeline.Timeline
	opened      bool // the timeline has its first state
	breakpoints *timeline.Breakpoints
	functions   map[int]dap.Breakpoint // what the client knows of those on functions, by id
	files       files
	stopped     *timeline.Stop // nil while predicting, and before the first stop

	likely statetree.ActionKind // what the user is likely to ask for next: the last kind of step

	work       *work
	restarting bool // when work, which was cancelled, has ended

	frames        handles[frameRef]
	variables     handles[container]
	looked        int // how many frames above the client's the debug console looks at
	stepInTargets handles[timeline.CallTarget]
	gotoTargets   handles[int] // lines
	lastProgress  int
	moving        *progress // of the work that is going on, and work's while it runs
}

// incoming is a message from the client, or why it could not be read.
type incoming struct {
	request dap.RequestMessage // nil when it could not be decoded
	head    dap.Request
	err     error
}

func newSession(conn io.ReadWriteCloser, server *Server) *session {
	return &session{
		conn: conn, check: server.Check, factory: server.Factory, log: server.Log,
		out:         newOutbox(conn),
		incoming:    make(chan incoming),
		posted:      make(chan func()),
		ended:       make(chan struct{}),
		breakpoints: timeline.NewBreakpoints(),
		likely:      statetree.StepOver,
	}
}

// run serves the session until the client leaves or ctx ends.
func (s *session) run(ctx context.Context) error {
	readErr := make(chan error, 1)
	go func() { readErr <- s.read() }()
	writeErr := make(chan error, 1)
	go func() { writeErr <- s.out.run() }()

	err := s.loop(ctx, readErr)
	s.finished = true
	s.out.silence()
	close(s.ended)
	s.stopWork()
	s.out.close()
	select {
	case err := <-writeErr:
		if err != nil {
			s.log.Debug().Err(err).Msg("the client did not take the last messages")
		}
	case <-time.After(lastRead):
	}
	s.conn.Close()
	return err
}

// loop handles messages until the session is over.
func (s *session) loop(ctx context.Context, readErr <-chan error) error {
	for !s.leaving {
		select {
		case m := <-s.incoming:
			s.handle(m)
		case f := <-s.posted:
			s.attend(f)
		case err := <-readErr:
			if errors.Is(err, errFraming) {
				return fmt.Errorf("reading from the client: %w", err)
			}
			if err != nil && err != io.EOF {
				s.log.Debug().Err(err).Msg("the client is gone")
			}
			return nil
		case <-s.out.done:
			return nil // the client takes nothing any more
		case <-s.out.full:
			s.log.Warn().Msg("the client sends requests but does not read what answers them")
			return nil
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// read hands requests to the loop until the input ends.
func (s *session) read() error {
	r := bufio.NewReader(s.conn)
	for {
		body, err := readMessage(r)
		if err != nil {
			return err
		}
		m, ok := decode(body)
		if !ok {
			continue
		}
		select {
		case s.incoming <- m:
		case <-s.ended:
			return nil
		}
	}
}

// handle answers one message. What the handler asked for with s.then comes
// after the answer.
func (s *session) handle(m incoming) {
	err := m.err
	var response dap.ResponseMessage
	if err == nil {
		err = s.safely(func() (err error) {
			response, err = s.dispatch(m.request)
			return err
		})
	} else {
		err = decodeError(&m.head, err)
	}
	switch {
	case errors.Is(err, errAnsweredLater):
	case err != nil:
		s.out.put(errorResponse(&m.head, err))
	default:
		s.out.put(response)
	}
	after := s.after
	s.after = nil
	for _, f := range after {
		s.attend(f)
	}
}

// attend does what nobody waits for an answer to. A fault there ends debugging,
// but not the session: its client, and those of other sessions, stay connected.
func (s *session) attend(f func()) {
	if err := s.safely(func() error { f(); return nil }); err != nil {
		s.fail(err)
	}
}

// safely calls f and makes a panic in it an error.
func (s *session) safely(f func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			s.log.Error().Interface("fault", fault).Bytes("stack", debug.Stack()).Msg("internal error")
			err = fmt.Errorf("internal error, which the log tells more about: %v", fault)
		}
	}()
	return f()
}

// then has f called when the request in hand has been answered.
func (s *session) then(f func()) { s.after = append(s.after, f) }

// errAnsweredLater is returned by handlers whose answer is put by work.
var errAnsweredLater = errors.New("answered later")

// event sends an event. After terminated there is none. It may be called by work
// too.
func (s *session) event(e dap.EventMessage) { s.out.putEvent(e) }

// console shows a line in the client's debug console. category is the
// protocol's: "console", "important", "stdout", "stderr".
func (s *session) console(category, format string, args ...any) {
	s.event(&dap.OutputEvent{Event: *newEvent("output"), Body: dap.OutputEventBody{
		Category: category, Output: fmt.Sprintf(format, args...) + "\n",
	}})
}

// terminate tells the client that debugging is over.
func (s *session) terminate() {
	s.event(&dap.TerminatedEvent{Event: *newEvent("terminated")})
	s.out.silence()
	s.finished = true
	s.stopped = nil
}
