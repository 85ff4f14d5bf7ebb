package adapter

import "github.com/google/go-dap"

// capabilities are what the adapter announces: exactly what it does. All of them
// are in the initialize response, since clients show reverse buttons late when
// the capability comes later.
var capabilities = dap.Capabilities{
	SupportsConfigurationDoneRequest: true,
	SupportsFunctionBreakpoints:      true,
	SupportsEvaluateForHovers:        true,
	SupportsClipboardContext:         true,
	SupportsStepBack:                 true,
	SupportsSteppingGranularity:      true,
	SupportsSetVariable:              true,
	SupportsRestartRequest:           true,
	SupportsRestartFrame:             true,
	SupportsLoadedSourcesRequest:     true,
	SupportsDelayedStackTraceLoading: true,
	SupportsTerminateRequest:         true,
	SupportTerminateDebuggee:         true,
	SupportsCancelRequest:            true,
	SupportsExceptionInfoRequest:     true,
}
