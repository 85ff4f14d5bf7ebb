package main

import (
	"context"
	"fmt"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/checkpoint"
	"github.com/neuraldbg/neuraldbg/model/rpc"
	"github.com/neuraldbg/neuraldbg/model/server"
	"github.com/neuraldbg/neuraldbg/model/torch"
)

// loadPredictor makes a predictor of a bundled model or of a checkpoint's
// folder. It is a server.Loader. What can be told from small files is checked
// before the weights are read.
func loadPredictor(_ context.Context, params rpc.LoadParams) (model.Predictor, error) {
	dir, err := server.Resolve(params.Model)
	if err != nil {
		return nil, err
	}
	c, err := checkpoint.Open(dir)
	if err != nil {
		return nil, err
	}
	engine, err := torch.OpenEngine(dir, torch.EngineOptions{Device: params.Device, Kind: params.DType})
	if err != nil {
		return nil, err
	}
	predictor, err := c.NewPredictor(engine, describe(engine, params.Model))
	if err != nil {
		engine.Close()
		return nil, err
	}
	return predictor, nil
}

// describe tells people what was loaded, and how.
func describe(engine *torch.Engine, name string) model.Info {
	config := engine.Config()
	detail := fmt.Sprintf("%s, %.1f M parameters, %s", config.ModelType, float64(config.Parameters())/1e6, engine.Kind())
	if n := engine.MaxContext(); n < config.MaxPositionEmbeddings {
		detail += fmt.Sprintf(", context of %d tokens instead of %d for lack of memory", n, config.MaxPositionEmbeddings)
	}
	return model.Info{Name: name, Detail: detail, Device: engine.Device(), Parameters: int64(config.Parameters())}
}
