package main

import (
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model/checkpoint"
	"github.com/neuraldbg/neuraldbg/model/torch"
)

func TestGrowModel(t *testing.T) {
	out := t.TempDir()
	if err := growModel("../../model/nano", out, torch.Config{NumHiddenLayers: 7}, 1); err != nil {
		t.Fatal(err)
	}
	c, err := torch.ReadConfig(out)
	if err != nil {
		t.Fatal(err)
	}
	if c.NumHiddenLayers != 7 {
		t.Errorf("it has %d layers, want 7", c.NumHiddenLayers)
	}
	if _, err := checkpoint.Open(out); err != nil {
		t.Error(err)
	}
	if _, err := checkpoint.Verify(out); err != nil {
		t.Error(err)
	}
	if err := growModel("../../model/nano", out, torch.Config{}, 1); err == nil || !strings.Contains(err.Error(), "there is a model in") {
		t.Errorf("grown into a model's folder: %v", err)
	}
	if err := growModel("../../model/nano", "", torch.Config{}, 1); err == nil || !strings.Contains(err.Error(), "needs --out") {
		t.Errorf("grown without --out: %v", err)
	}
}
