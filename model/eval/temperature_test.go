package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// tempered is a predictor whose confidence depends on the temperature.
type tempered struct {
	model.Predictor
	predict func(temperature float64) model.Prediction
}

type temperedSession struct {
	model.Session
	p           *tempered
	temperature float64
}

func (p *tempered) Open(_ context.Context, c model.Context) (model.Session, model.Prediction, error) {
	return &temperedSession{p: p, temperature: c.Sampling.ConfidenceTemperature}, model.Prediction{}, nil
}

func (s *temperedSession) Predict(context.Context, statetree.Action) (model.Prediction, error) {
	return s.p.predict(s.temperature), nil
}

func (s *temperedSession) Close() error { return nil }

// overconfident is right in three of four cases, of n on as many programs, and says
// that its odds are the given ones, at temperature 1.
func overconfident(n int, odds float64) (model.Predictor, Questions) {
	asked := 0
	p := &tempered{predict: func(temperature float64) model.Prediction {
		asked++
		odds := math.Pow(odds, 1/temperature)
		got := model.Prediction{Confidence: model.Confidence{State: odds / (1 + odds)}}
		got.Exit = statetree.ExitNormal
		if asked%4 == 0 {
			got.Exit = statetree.ExitError
		}
		return got
	}}
	var all []Question
	for i := range n {
		all = append(all, Question{
			Key: Key{Measure: NextState, ID: fmt.Sprint(i)}, Program: fmt.Sprint(i),
			Want: statetree.Outcome{Exit: statetree.ExitNormal},
		})
	}
	return p, stream(all)
}

func TestFitTemperature(t *testing.T) {
	for _, c := range []struct {
		odds, want float64
		n          int
		doubt      string
	}{
		{9, 2, 2000, ""},
		{math.Pow(3, .6), .6, 2000, ""},
		{math.Pow(3, 8), 4, 2000, ""},   // the highest that is tried
		{math.Pow(3, .3), .5, 2000, ""}, // the lowest
		{3, 1, 2000, "interval includes 1"},
		{3.3, 1.09, 2000, "interval includes 1"},
		{1, 1, 2000, "interval includes 1"}, // no temperature changes anything
		{9, 2, 400, "fitted on 400 predictions, and takes 2000"},
	} {
		p, questions := overconfident(c.n, c.odds)
		fit, err := FitTemperature(t.Context(), p, questions, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(math.Log(fit.Temperature/c.want)) > .05 {
			t.Errorf("odds of %.2f: temperature %.3f, want %.2f", c.odds, fit.Temperature, c.want)
		}
		if fit.Low > fit.Temperature+1e-9 || fit.High < fit.Temperature-1e-9 || fit.High > 2*fit.Low {
			t.Errorf("odds of %.2f: temperature %.3f, interval %.3f to %.3f", c.odds, fit.Temperature, fit.Low, fit.High)
		}
		if doubt := fit.Doubt(); c.doubt == "" && doubt != "" || !strings.Contains(doubt, c.doubt) {
			t.Errorf("odds of %.2f on %d: doubt %q, want %q", c.odds, c.n, doubt, c.doubt)
		}
		if fit.LossAfter > fit.LossBefore || fit.After.Error > fit.Before.Error+1e-9 {
			t.Errorf("odds of %.2f: %+v", c.odds, fit)
		}
	}
	if _, err := FitTemperature(t.Context(), &tempered{}, stream(nil), 1, nil); err == nil {
		t.Error("a fit without questions is not refused")
	}
}

// TestFitTemperatureOfManyConfidences has odds from 3:2 to 400:1, all of which are
// true at one temperature. The loss is far from a parabola then.
func TestFitTemperatureOfManyConfidences(t *testing.T) {
	const want, each = .84, 400
	logits := []float64{.4, 1, 2, 3, 6}
	asked := 0
	p := &tempered{predict: func(temperature float64) model.Prediction {
		logit, number := logits[asked/each%len(logits)], asked%each
		asked++
		got := model.Prediction{Confidence: model.Confidence{State: 1 / (1 + math.Exp(-logit/temperature))}}
		got.Exit = statetree.ExitNormal
		if float64(number) >= each/(1+math.Exp(-logit/want))-.5 {
			got.Exit = statetree.ExitError
		}
		return got
	}}
	_, questions := overconfident(each*len(logits), 1)
	fit, err := FitTemperature(t.Context(), p, questions, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(math.Log(fit.Temperature/want)) > .03 || fit.Low > want || fit.High < want || fit.High > 1.35*fit.Low {
		t.Errorf("temperature %.3f, interval %.3f to %.3f; want %.2f", fit.Temperature, fit.Low, fit.High, want)
	}
}

func TestFitTemperatureStops(t *testing.T) {
	p, questions := overconfident(10, 9)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := FitTemperature(ctx, p, questions, 1, func(temperature float64, answered int) {
		if temperature == 1 && answered == 5 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a fit that is interrupted: %v", err)
	}
}
