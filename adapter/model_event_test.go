package adapter_test

import (
	"testing"

	"github.com/neuraldbg/neuraldbg/adapter/daptest"
)

func TestModelEvent(t *testing.T) {
	s := launchCount(t)
	e, err := s.Client.Event("neuraldbg/model")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(e.(*daptest.CustomEvent).Body), `{"name":"replay","detail":"recording of 18 states"}`; got != want {
		t.Errorf("the model is %s, want %s", got, want)
	}
	s.Disconnect()
}
