package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/stepwise"
	"github.com/neuraldbg/neuraldbg/statetree"
)

func (s *session) onInitialize(r *dap.InitializeRequest) (dap.ResponseMessage, error) {
	if s.initialized {
		return nil, notNow("initialize came twice")
	}
	if format := r.Arguments.PathFormat; format != "" && format != "path" && format != "uri" {
		return nil, badArguments(`initialize: pathFormat %q; "path" and "uri" are known`, format)
	}
	s.initialized = true
	s.client = r.Arguments
	s.then(func() { s.event(&dap.InitializedEvent{Event: *newEvent("initialized")}) })
	return &dap.InitializeResponse{Response: *newResponse(&r.Request), Body: capabilities}, nil
}

// onLaunch checks what is to be debugged, and with what, and answers. The model is
// loaded after the answer: clients do not wait for a launch as long as that may
// take.
func (s *session) onLaunch(r *dap.LaunchRequest) (dap.ResponseMessage, error) {
	switch {
	case s.finished:
		return nil, notNow("launch: debugging has ended; begin a new session")
	case s.config != nil:
		return nil, notNow("launch came twice; use restart")
	}
	config, err := parseLaunchConfig(r.Arguments)
	if err != nil {
		return nil, err
	}
	if s.check != nil {
		if err := s.check(config); err != nil {
			return nil, launchFailed(err)
		}
	}
	if err := s.loadTarget(config); err != nil {
		return nil, launchFailed(err)
	}
	s.config = &config
	s.then(func() { s.loadModel(r.Seq) })
	return &dap.LaunchResponse{Response: *newResponse(&r.Request)}, nil
}

// loadTarget reads the program and takes the snapshot that the session shows
// from then on.
func (s *session) loadTarget(config LaunchConfig) error {
	launch := config.launch()
	launch.Path = s.files.name(launch.Path)
	target, err := timeline.Load(launch)
	if err != nil {
		return err
	}
	s.target = target
	s.files.snapshot(target.File)
	s.then(s.refreshBreakpoints)
	return nil
}

// loadModel has the factory make the predictor, shown as progress.
func (s *session) loadModel(seq int) {
	config := *s.config
	title := "Loading the model"
	if config.Model != "" {
		title = "Loading the model " + config.Model
	}
	p := s.newProgress(title)
	p.start()
	s.begin(seq, p, func(ctx context.Context) func() {
		var predictor model.Predictor
		err := s.safely(func() (err error) {
			predictor, err = s.factory(ctx, config)
			return err
		})
		return func() {
			switch {
			case errors.Is(err, context.Canceled):
				s.fail(errors.New("loading the model was cancelled"))
				return
			case err != nil:
				s.fail(fmt.Errorf("loading the model: %w", err))
				return
			}
			s.predictor = predictor
			s.startWhenReady()
		}
	})
}

// fail ends debugging, since it cannot begin.
func (s *session) fail(err error) {
	s.log.Info().Err(err).Msg("debugging cannot begin")
	s.console("important", "neuraldbg: %s", shortened(err.Error(), longestMessage))
	s.terminate()
}

func (s *session) onConfigurationDone(r *dap.ConfigurationDoneRequest) (dap.ResponseMessage, error) {
	s.configured = true
	s.then(s.startWhenReady)
	return &dap.ConfigurationDoneResponse{Response: *newResponse(&r.Request)}, nil
}

// startWhenReady predicts the first state when both the model and the client's
// configuration are there, whichever came last.
func (s *session) startWhenReady() {
	if s.configured && s.predictor != nil && s.timeline == nil && !s.finished {
		s.start()
	}
}

// start opens the timeline and goes to where the session stops first.
func (s *session) start() {
	options := s.config.options()
	options.Listener = s.listener()
	if !s.config.NoDebug {
		options.Breakpoints = s.breakpoints
	}
	predictor := stepwise.NewPredictor(s.predictor, s.config.predicting())
	s.timeline, s.opened = timeline.New(predictor, s.target, options), false
	s.tellModel(predictor.Info())
	s.console("console", "%s", greeting(predictor.Info()))
	s.predict(0, "Predicting the first state", s.timeline.Open, s.showFirst)
}

// showFirst tells the client about the first state, or goes on from it when the
// session does not stop there. Without a first state there is nothing to show.
func (s *session) showFirst(stop timeline.Stop, err error) {
	switch {
	case s.finished || s.restarting:
	case errors.Is(err, context.Canceled):
		s.fail(errors.New("cancelled before the first state was predicted"))
	case err != nil:
		s.fail(err)
	default:
		s.opened = true
		if s.config.stopsOnEntry() || stop.Reason == timeline.ReasonBreakpoint {
			s.show(stop, nil)
			return
		}
		s.resume(0)
	}
}

func greeting(i model.Info) string {
	text := "Predicted by " + i.Name
	if i.Detail != "" {
		text += " (" + i.Detail + ")"
	}
	if i.Device != "" {
		text += " on " + i.Device
	}
	return text + ". Nothing is executed; what print writes is predicted too."
}

// onRestart reads the source anew and begins again with the same model.
func (s *session) onRestart(r *dap.RestartRequest) (dap.ResponseMessage, error) {
	switch {
	case s.finished:
		return nil, notNow("restart: debugging has ended; begin a new session")
	case s.config == nil:
		return nil, notNow("restart: nothing is launched")
	}
	config := *s.config
	var a struct {
		Arguments json.RawMessage `json:"arguments"`
	}
	if len(r.Arguments) > 0 {
		if err := json.Unmarshal(r.Arguments, &a); err != nil {
			return nil, decodeError(&r.Request, err)
		}
	}
	if len(a.Arguments) > 0 {
		latest, err := parseLaunchConfig(a.Arguments)
		if err != nil {
			return nil, err
		}
		config = latest
	}
	if config.Model != s.config.Model || config.Device != s.config.Device || config.DType != s.config.DType || config.Tokenizer != s.config.Tokenizer {
		return nil, notNow("restart: the model, its tokenizer, the device or the number type has changed; stop and launch again")
	}
	if err := s.loadTarget(config); err != nil {
		return nil, launchFailed(err)
	}
	s.config = &config
	if s.timeline == nil {
		// The model is being loaded, or the client configures still: the new
		// target is what starts then.
		return &dap.RestartResponse{Response: *newResponse(&r.Request)}, nil
	}
	s.then(s.restart)
	return &dap.RestartResponse{Response: *newResponse(&r.Request)}, nil
}

// restart begins again with a new timeline, when the work that is going on has
// ended.
func (s *session) restart() {
	s.stopped = nil
	if s.restarting = s.working(); s.restarting {
		s.work.cancel()
		return
	}
	if err := s.timeline.Close(); err != nil {
		s.log.Debug().Err(err).Msg("closing the timeline")
	}
	s.timeline = nil
	s.startWhenReady()
}

// onTerminate ends debugging; the client may stay.
func (s *session) onTerminate(r *dap.TerminateRequest) (dap.ResponseMessage, error) {
	s.then(func() {
		s.terminate()
		if s.working() {
			s.work.cancel()
		}
	})
	return &dap.TerminateResponse{Response: *newResponse(&r.Request)}, nil
}

// onDisconnect is answered at once, whatever the model is doing.
func (s *session) onDisconnect(r *dap.DisconnectRequest) (dap.ResponseMessage, error) {
	s.leaving = true
	return &dap.DisconnectResponse{Response: *newResponse(&r.Request)}, nil
}

// onCancel cancels the work that a request began, or that a progress shows.
// Requests that do not wait for the model are answered before a cancel for them
// can arrive.
func (s *session) onCancel(r *dap.CancelRequest) (dap.ResponseMessage, error) {
	if a := r.Arguments; a != nil && s.working() {
		if a.RequestId != 0 && a.RequestId == s.work.seq || a.ProgressId != "" && a.ProgressId == s.work.progress.id {
			s.work.cancel()
		}
	}
	return &dap.CancelResponse{Response: *newResponse(&r.Request)}, nil
}

// end finishes debugging at a predicted exit.
func (s *session) end(exit statetree.Exit) {
	code := 0
	if exit == statetree.ExitError {
		code = 1
	}
	s.console("console", "%s", s.timeline.Here().Description)
	s.event(&dap.ExitedEvent{Event: *newEvent("exited"), Body: dap.ExitedEventBody{ExitCode: code}})
	s.terminate()
}
