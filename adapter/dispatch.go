package adapter

import (
	"encoding/json"

	"github.com/google/go-dap"
)

// decode reads one message. It reports false for what is no request: there is
// nothing to answer.
func decode(body []byte) (incoming, bool) {
	var m incoming
	if err := json.Unmarshal(body, &m.head); err != nil {
		// The head may be readable where a part of it has a wrong type.
		var seq struct {
			Seq  int    `json:"seq"`
			Type string `json:"type"`
		}
		_ = json.Unmarshal(body, &seq)
		m.head.Seq, m.err = seq.Seq, err
		return m, seq.Type == "" || seq.Type == "request"
	}
	if m.head.Type != "request" {
		return m, false
	}
	message, err := dap.DecodeProtocolMessage(body)
	if err != nil {
		m.err = err
		return m, true
	}
	if r, ok := message.(*dap.InitializeRequest); ok {
		countFrom1(&r.Arguments, body)
	}
	m.request, _ = message.(dap.RequestMessage)
	return m, m.request != nil
}

// countFrom1 makes lines and columns count from 1 where an initialize request
// does not say, as the protocol has it.
func countFrom1(a *dap.InitializeRequestArguments, body []byte) {
	var said struct {
		Arguments struct {
			LinesStartAt1, ColumnsStartAt1 *bool
		} `json:"arguments"`
	}
	_ = json.Unmarshal(body, &said) // was decoded before
	a.LinesStartAt1 = said.Arguments.LinesStartAt1 == nil || *said.Arguments.LinesStartAt1
	a.ColumnsStartAt1 = said.Arguments.ColumnsStartAt1 == nil || *said.Arguments.ColumnsStartAt1
}

// dispatch calls the handler of a request and returns its response.
func (s *session) dispatch(request dap.RequestMessage) (dap.ResponseMessage, error) {
	if _, ok := request.(*dap.InitializeRequest); !ok && !s.initialized {
		if _, ok := request.(*dap.DisconnectRequest); !ok {
			return nil, notNow("%s came before initialize", request.GetRequest().Command)
		}
	}
	switch r := request.(type) {
	// Lifecycle.
	case *dap.InitializeRequest:
		return s.onInitialize(r)
	case *dap.LaunchRequest:
		return s.onLaunch(r)
	case *dap.ConfigurationDoneRequest:
		return s.onConfigurationDone(r)
	case *dap.RestartRequest: // SupportsRestartRequest
		return s.onRestart(r)
	case *dap.TerminateRequest: // SupportsTerminateRequest
		return s.onTerminate(r)
	case *dap.DisconnectRequest:
		return s.onDisconnect(r)
	case *dap.CancelRequest: // SupportsCancelRequest
		return s.onCancel(r)
	// Breakpoints.
	case *dap.SetBreakpointsRequest:
		return s.onSetBreakpoints(r)
	case *dap.SetFunctionBreakpointsRequest: // SupportsFunctionBreakpoints
		return s.onSetFunctionBreakpoints(r)
	case *dap.SetExceptionBreakpointsRequest:
		return s.onSetExceptionBreakpoints(r)
	// Movements.
	case *dap.ContinueRequest:
		return s.onContinue(r)
	case *dap.NextRequest:
		return s.onNext(r)
	case *dap.StepInRequest:
		return s.onStepIn(r)
	case *dap.StepOutRequest:
		return s.onStepOut(r)
	case *dap.StepBackRequest: // SupportsStepBack
		return s.onStepBack(r)
	case *dap.ReverseContinueRequest: // SupportsStepBack
		return s.onReverseContinue(r)
	case *dap.RestartFrameRequest: // SupportsRestartFrame
		return s.onRestartFrame(r)
	case *dap.PauseRequest:
		return s.onPause(r)
	// What is shown.
	case *dap.ThreadsRequest:
		return s.onThreads(r)
	case *dap.StackTraceRequest:
		return s.onStackTrace(r)
	case *dap.ScopesRequest:
		return s.onScopes(r)
	case *dap.VariablesRequest:
		return s.onVariables(r)
	case *dap.SetVariableRequest: // SupportsSetVariable
		return s.onSetVariable(r)
	case *dap.EvaluateRequest:
		return s.onEvaluate(r)
	case *dap.ExceptionInfoRequest: // SupportsExceptionInfoRequest
		return s.onExceptionInfo(r)
	case *dap.SourceRequest:
		return s.onSource(r)
	case *dap.LoadedSourcesRequest: // SupportsLoadedSourcesRequest
		return s.onLoadedSources(r)
	}
	return nil, &requestError{
		id: idUnknownRequest, message: "the " + request.GetRequest().Command + " request is not supported",
	}
}
