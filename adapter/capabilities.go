package adapter

import (
	"github.com/google/go-dap"
)

// requestKind is one request of the protocol that the adapter answers.
type requestKind struct {
	command string
	// announce sets what the client is told about the request; nil for those
	// that every adapter answers.
	announce func(*dap.Capabilities)
	handle   func(*session, dap.RequestMessage) (dap.ResponseMessage, error)
}

// on makes a requestKind of a handler.
func on[R dap.RequestMessage](command string, handler func(*session, R) (dap.ResponseMessage, error), announce func(*dap.Capabilities)) requestKind {
	return requestKind{command, announce, func(s *session, r dap.RequestMessage) (dap.ResponseMessage, error) {
		request, ok := r.(R)
		if !ok {
			return nil, badArguments("%s is not a request", command)
		}
		return handler(s, request)
	}}
}

// requestKinds are all requests that the adapter answers. The capabilities are
// made of them, so that what is announced is what is handled.
func requestKinds() []requestKind {
	type c = dap.Capabilities
	return []requestKind{
		// Lifecycle.
		on("initialize", (*session).onInitialize, nil),
		on("launch", (*session).onLaunch, nil),
		on("configurationDone", (*session).onConfigurationDone, func(c *c) { c.SupportsConfigurationDoneRequest = true }),
		on("restart", (*session).onRestart, func(c *c) { c.SupportsRestartRequest = true }),
		on("terminate", (*session).onTerminate, func(c *c) { c.SupportsTerminateRequest = true }),
		on("disconnect", (*session).onDisconnect, func(c *c) { c.SupportTerminateDebuggee = true }),
		on("cancel", (*session).onCancel, func(c *c) { c.SupportsCancelRequest = true }),
		// Breakpoints.
		on("setBreakpoints", (*session).onSetBreakpoints, func(c *c) {
			c.SupportsConditionalBreakpoints, c.SupportsHitConditionalBreakpoints, c.SupportsLogPoints = true, true, true
		}),
		on("setFunctionBreakpoints", (*session).onSetFunctionBreakpoints, func(c *c) { c.SupportsFunctionBreakpoints = true }),
		on("setExceptionBreakpoints", (*session).onSetExceptionBreakpoints, func(c *c) {
			c.ExceptionBreakpointFilters, c.SupportsExceptionFilterOptions = exceptionFilters, true
		}),
		on("dataBreakpointInfo", (*session).onDataBreakpointInfo, func(c *c) { c.SupportsDataBreakpoints = true }),
		on("setDataBreakpoints", (*session).onSetDataBreakpoints, func(c *c) { c.SupportsDataBreakpoints = true }),
		on("breakpointLocations", (*session).onBreakpointLocations, func(c *c) { c.SupportsBreakpointLocationsRequest = true }),
		// Movements.
		on("continue", (*session).onContinue, nil),
		on("next", (*session).onNext, func(c *c) { c.SupportsSteppingGranularity = true }),
		on("stepIn", (*session).onStepIn, func(c *c) { c.SupportsSteppingGranularity = true }),
		on("stepInTargets", (*session).onStepInTargets, func(c *c) { c.SupportsStepInTargetsRequest = true }),
		on("stepOut", (*session).onStepOut, nil),
		on("stepBack", (*session).onStepBack, func(c *c) { c.SupportsStepBack, c.SupportsSteppingGranularity = true, true }),
		on("reverseContinue", (*session).onReverseContinue, func(c *c) { c.SupportsStepBack = true }),
		on("restartFrame", (*session).onRestartFrame, func(c *c) { c.SupportsRestartFrame = true }),
		on("gotoTargets", (*session).onGotoTargets, func(c *c) { c.SupportsGotoTargetsRequest = true }),
		on("goto", (*session).onGoto, func(c *c) { c.SupportsGotoTargetsRequest = true }),
		on("pause", (*session).onPause, nil),
		// What is shown.
		on("threads", (*session).onThreads, nil),
		on("stackTrace", (*session).onStackTrace, func(c *c) { c.SupportsDelayedStackTraceLoading = true }),
		on("scopes", (*session).onScopes, nil),
		on("variables", (*session).onVariables, func(c *c) { c.SupportsValueFormattingOptions = true }),
		on("setVariable", (*session).onSetVariable, func(c *c) { c.SupportsSetVariable = true }),
		on("setExpression", (*session).onSetExpression, func(c *c) { c.SupportsSetExpression = true }),
		on("evaluate", (*session).onEvaluate, func(c *c) { c.SupportsEvaluateForHovers, c.SupportsClipboardContext = true, true }),
		on("completions", (*session).onCompletions, func(c *c) {
			c.SupportsCompletionsRequest, c.CompletionTriggerCharacters = true, []string{".", "["}
		}),
		on("exceptionInfo", (*session).onExceptionInfo, func(c *c) { c.SupportsExceptionInfoRequest = true }),
		on("source", (*session).onSource, nil),
		on("loadedSources", (*session).onLoadedSources, func(c *c) { c.SupportsLoadedSourcesRequest = true }),
		// Of this adapter alone.
		on(chooseAlternativeCommand, (*session).onChooseAlternative, nil),
	}
}

// handlers are the handlers of all requests by their commands.
var handlers = map[string]func(*session, dap.RequestMessage) (dap.ResponseMessage, error){}

// capabilities are what the adapter announces. All of them are in the initialize
// response, since clients show reverse buttons late when the capability comes
// later.
var capabilities dap.Capabilities

func init() {
	for _, kind := range requestKinds() {
		handlers[kind.command] = kind.handle
		if kind.announce != nil {
			kind.announce(&capabilities)
		}
	}
}
