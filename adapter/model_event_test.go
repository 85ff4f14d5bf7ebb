package adapter_test

import (
	"slices"
	"testing"

	"github.com/neuraldbg/neuraldbg/adapter/daptest"
)

// TestModelEvent: VS Code is told which model predicts. No other client gets an
// event that the protocol does not have.
func TestModelEvent(t *testing.T) {
	for client, told := range map[string]bool{"vscode": true, "helix": false, "": false} {
		s := connect(t, replaying(t, "main()"))
		if _, err := s.Client.InitializeAs(map[string]any{"adapterID": "neuraldbg", "clientID": client}); err != nil {
			t.Fatal(err)
		}
		s.Launch(map[string]any{"program": testdata(t, "count_berry.py"), "entry": "main()"})
		s.ConfigurationDone()
		s.ExpectStopped("entry")
		if got := slices.Contains(daptest.Names(s.Client.Transcript()), "event:neuraldbg/model"); got != told {
			t.Errorf("client %q is told: %v, want %v", client, got, told)
		}
		if told {
			e, err := s.Client.Event("neuraldbg/model")
			if err != nil {
				t.Fatal(err)
			}
			if got, want := string(e.(*daptest.CustomEvent).Body), `{"name":"replay","detail":"recording of 18 states"}`; got != want {
				t.Errorf("the model is %s, want %s", got, want)
			}
		}
		s.Disconnect()
	}
}
