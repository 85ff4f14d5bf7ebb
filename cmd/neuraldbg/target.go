package main

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/model/jsonerror"
)

// targetFlags say what of a file is debugged; they mirror the adapter's launch
// keys of the same names.
type targetFlags struct {
	entry     string
	arguments []string
	from      string
}

func (f *targetFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.entry, "entry", "", "what to debug: a `CALL` such as 'count(\"berry\", \"r\")', a function's name, or nothing for the whole file")
	flags.StringArrayVar(&f.arguments, "arg", nil, "an argument of the function named by --entry, as `NAME=REPR`; may be repeated. Without any the model proposes them")
	flags.StringVar(&f.from, "from", "", "begin inside the function, at this `STATE`: '{\"event\": \"return\", \"line\": 5, \"value\": \"2\"}' or '{\"event\": \"line\", \"line\": 4, \"locals\": {\"n\": \"0\"}}'")
}

// launch returns the flags as the timeline wants them.
func (f *targetFlags) launch(path string) (timeline.Launch, error) {
	launch := timeline.Launch{Path: path, Entry: f.entry}
	for _, argument := range f.arguments {
		name, repr, ok := strings.Cut(argument, "=")
		if !ok || name == "" || repr == "" {
			return launch, usagef("--arg wants NAME=REPR, such as n=3 or \"s='berry'\", got %q", argument)
		}
		if launch.Arguments == nil {
			launch.Arguments = map[string]string{}
		}
		if _, twice := launch.Arguments[name]; twice {
			return launch, usagef("--arg gives %s twice", name)
		}
		launch.Arguments[name] = repr
	}
	if f.from != "" {
		launch.From = new(timeline.From)
		decoder := json.NewDecoder(strings.NewReader(f.from))
		decoder.DisallowUnknownFields()
		err := decoder.Decode(launch.From)
		if err == nil && decoder.More() {
			err = errors.New("something follows the state")
		}
		if err != nil {
			return launch, usagef("--from wants a state such as {\"event\": \"return\", \"line\": 5, \"value\": \"2\"}: %w", jsonerror.Describe(err))
		}
	}
	return launch, nil
}

// load reads the file and finds in it what the flags say.
func (f *targetFlags) load(path string) (timeline.Target, error) {
	launch, err := f.launch(path)
	if err != nil {
		return timeline.Target{}, err
	}
	return timeline.Load(launch)
}
