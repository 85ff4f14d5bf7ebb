package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/neural"
	"github.com/neuraldbg/neuraldbg/model/server"
	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/model/torch"
)

// loadPredictor makes a predictor of a bundled model or of a checkpoint's
// folder. It is a server.Loader. What can be told from small files is checked
// before the weights are read.
func loadPredictor(_ context.Context, name, device string) (model.Predictor, error) {
	dir, err := server.Resolve(name)
	if err != nil {
		return nil, err
	}
	format, err := neural.ReadFormat(dir)
	if err != nil {
		return nil, err
	}
	if err := format.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	calibration, err := neural.ReadCalibration(dir)
	if err != nil {
		return nil, err
	}
	tok, err := tokenizer.Load(filepath.Join(dir, tokenizer.File))
	if err != nil {
		return nil, err
	}
	if device == "" {
		if device, err = bestDevice(); err != nil {
			return nil, err
		}
	}
	engine, err := torch.OpenEngine(dir, torch.EngineOptions{Device: device})
	if err != nil {
		return nil, err
	}
	config := engine.Config()
	predictor, err := neural.NewPredictor(engine, tok, neural.Options{ConfidenceTemperature: calibration.Temperature, Info: model.Info{
		Name:       name,
		Detail:     fmt.Sprintf("%s, %.1f M parameters", config.ModelType, float64(config.Parameters())/1e6),
		Device:     device,
		Parameters: int64(config.Parameters()),
	}})
	if err != nil {
		engine.Close()
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return predictor, nil
}

// bestDevice is the first CUDA device if there is one.
func bestDevice() (string, error) {
	n, err := torch.CUDADevices()
	if err != nil || n == 0 {
		return "cpu", err
	}
	return "cuda:0", nil
}
