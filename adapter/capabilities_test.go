package adapter

import (
	"reflect"
	"testing"

	"github.com/google/go-dap"
)

// needs says which requests a client sends when a capability is announced. Those
// that are not here change what other requests hold.
var needs = map[string][]string{
	"SupportsConfigurationDoneRequest":   {"configurationDone"},
	"SupportsFunctionBreakpoints":        {"setFunctionBreakpoints"},
	"SupportsStepBack":                   {"stepBack", "reverseContinue"},
	"SupportsSetVariable":                {"setVariable"},
	"SupportsRestartFrame":               {"restartFrame"},
	"SupportsGotoTargetsRequest":         {"gotoTargets", "goto"},
	"SupportsStepInTargetsRequest":       {"stepInTargets"},
	"SupportsCompletionsRequest":         {"completions"},
	"SupportsModulesRequest":             {"modules"},
	"SupportsRestartRequest":             {"restart"},
	"SupportsExceptionInfoRequest":       {"exceptionInfo"},
	"SupportsLoadedSourcesRequest":       {"loadedSources"},
	"SupportsTerminateThreadsRequest":    {"terminateThreads"},
	"SupportsSetExpression":              {"setExpression"},
	"SupportsTerminateRequest":           {"terminate"},
	"SupportsDataBreakpoints":            {"dataBreakpointInfo", "setDataBreakpoints"},
	"SupportsReadMemoryRequest":          {"readMemory"},
	"SupportsWriteMemoryRequest":         {"writeMemory"},
	"SupportsDisassembleRequest":         {"disassemble"},
	"SupportsCancelRequest":              {"cancel"},
	"SupportsBreakpointLocationsRequest": {"breakpointLocations"},
	"SupportsInstructionBreakpoints":     {"setInstructionBreakpoints"},
}

// TestCapabilitiesAreHandled: what is announced is handled, and what is handled
// and optional is announced.
func TestCapabilitiesAreHandled(t *testing.T) {
	announced := reflect.ValueOf(capabilities)
	for capability, commands := range needs {
		field := announced.FieldByName(capability)
		if !field.IsValid() {
			t.Errorf("the protocol has no capability %s", capability)
			continue
		}
		for _, command := range commands {
			if _, handled := handlers[command]; handled != field.Bool() {
				t.Errorf("%s: announced %v, but %s is handled: %v", capability, field.Bool(), command, handled)
			}
		}
	}
}

// TestCapabilitiesOfTheContract: exactly these are announced, no more.
func TestCapabilitiesOfTheContract(t *testing.T) {
	want := dap.Capabilities{
		SupportsConfigurationDoneRequest: true, SupportsFunctionBreakpoints: true, SupportsConditionalBreakpoints: true,
		SupportsHitConditionalBreakpoints: true, SupportsLogPoints: true, SupportsDataBreakpoints: true,
		ExceptionBreakpointFilters: exceptionFilters, SupportsExceptionFilterOptions: true, SupportsExceptionInfoRequest: true,
		SupportsStepBack: true, SupportsSteppingGranularity: true, SupportsSetVariable: true, SupportsSetExpression: true,
		SupportsRestartRequest: true, SupportsRestartFrame: true, SupportsGotoTargetsRequest: true, SupportsStepInTargetsRequest: true,
		SupportsCompletionsRequest: true, CompletionTriggerCharacters: []string{".", "["}, SupportsEvaluateForHovers: true,
		SupportsClipboardContext: true, SupportsLoadedSourcesRequest: true, SupportsBreakpointLocationsRequest: true,
		SupportsDelayedStackTraceLoading: true, SupportsCancelRequest: true, SupportsTerminateRequest: true, SupportTerminateDebuggee: true,
		SupportsValueFormattingOptions: capabilities.SupportsValueFormattingOptions,
	}
	if !reflect.DeepEqual(capabilities, want) {
		t.Errorf("announced %+v\nwant %+v", capabilities, want)
	}
}

// TestRequestsOfTheProtocol are all decoded and either handled or refused as not
// supported.
func TestRequestsOfTheProtocol(t *testing.T) {
	for command := range handlers {
		m, ok := decode([]byte(`{"seq":1,"type":"request","command":"` + command + `"}`))
		if !ok || m.err != nil || m.request.GetRequest().Command != command {
			t.Errorf("%s is handled but cannot be decoded: %v", command, m.err)
		}
	}
}
