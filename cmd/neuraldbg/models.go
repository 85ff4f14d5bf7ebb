package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/model/checkpoint"
	"github.com/neuraldbg/neuraldbg/model/server"
)

func newModelsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "models",
		Short: "List, show and verify the models that are here",
		Long: `List the models that --model knows by name: the bundled ones, and those in the
folder neuraldbg/models of $XDG_DATA_HOME. $NEURALDBG_MODELS, if it is set, is the
only folder that is looked in.`,
		Args: noMoreArguments,
		RunE: func(*cobra.Command, []string) error { return a.listModels() },
	}
	var asJSON bool
	show := &cobra.Command{
		Use:   "show MODEL",
		Short: "Show what a model is, without loading it",
		Args:  oneModel,
		RunE:  func(_ *cobra.Command, args []string) error { return a.showModel(args[0], asJSON) },
	}
	show.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	cmd.AddCommand(show, &cobra.Command{
		Use:   "verify [MODEL…]",
		Short: "Compare models with their checksums (default: all that are listed)",
		RunE:  func(_ *cobra.Command, args []string) error { return a.verifyModels(args) },
	})
	return cmd
}

func oneModel(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usagef("%s takes one model: a name that neuraldbg models lists, or a checkpoint's folder", cmd.CommandPath())
	}
	return nil
}

// modelFolders are the folders of all models that have a name, in the order in
// which names are looked up.
func modelFolders() ([]string, error) {
	var dirs []string
	for _, folder := range server.Folders() {
		more, err := checkpoint.List(folder)
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, more...)
	}
	return dirs, nil
}

func (a *app) listModels() error {
	dirs, err := modelFolders()
	if err != nil {
		return err
	}
	if len(dirs) == 0 {
		return fmt.Errorf("there are no models: looked in %s", strings.Join(server.Folders(), ", "))
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tPARAMETERS\tCONTEXT\tSIZE\tDIALECT\tFOLDER")
	for _, dir := range dirs {
		d, err := checkpoint.Describe(dir)
		if err != nil {
			fmt.Fprintf(w, "%s\t-\t-\t-\tdamaged\t%s\n", filepath.Base(dir), dir)
			continue
		}
		dialect := string(d.Dialect)
		if dialect == "" {
			dialect = "none"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\n", filepath.Base(dir), millions(d.Parameters), d.Context, megabytes(d.Bytes), dialect, dir)
	}
	return w.Flush()
}

func (a *app) showModel(name string, asJSON bool) error {
	dir, err := server.Resolve(name)
	if err != nil {
		return err
	}
	d, err := checkpoint.Describe(dir)
	if err != nil {
		return err
	}
	if asJSON {
		e := json.NewEncoder(a.stdout)
		e.SetIndent("", "  ")
		return e.Encode(d)
	}
	printDescription(a.stdout, d)
	return nil
}

func printDescription(out io.Writer, d checkpoint.Description) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(what, format string, args ...any) {
		fmt.Fprintf(w, "%s\t%s\n", what, fmt.Sprintf(format, args...))
	}
	line("folder", "%s", d.Dir)
	line("architecture", "%s", d.ModelType)
	line("parameters", "%s", millions(d.Parameters))
	line("weights", "%s, %s", megabytes(d.Bytes), strings.Join(d.DTypes, ", "))
	line("context", "%d tokens", d.Context)
	line("vocabulary", "%d tokens", d.Vocabulary)
	if d.Dialect == "" {
		line("cannot debug", "%s", d.Reason)
	} else {
		line("dialect", "%s", d.Dialect)
	}
	if d.Grammar != "" {
		line("grammar", "%s", d.Grammar)
	}
	line("calibration", "temperature %.3g", d.Calibration)
	_ = w.Flush()
}

// verifyModels prints a line a model, and fails if one is not what it was.
func (a *app) verifyModels(names []string) error {
	var dirs []string
	for _, name := range names {
		dir, err := server.Resolve(name)
		if err != nil {
			return err
		}
		dirs = append(dirs, dir)
	}
	if len(names) == 0 {
		var err error
		if dirs, err = modelFolders(); err != nil {
			return err
		}
	}
	var faults []error
	for _, dir := range dirs {
		switch v, err := checkpoint.Verify(dir); {
		case errors.Is(err, checkpoint.ErrNoSums) && len(names) == 0:
			fmt.Fprintf(a.stdout, "%s: not verified, %v\n", filepath.Base(dir), checkpoint.ErrNoSums)
		case err != nil:
			faults = append(faults, err)
		default:
			others := ""
			if len(v.Others) > 0 {
				others = "; not compared, as they have no checksum: " + strings.Join(v.Others, ", ")
			}
			fmt.Fprintf(a.stdout, "%s: good, %s%s\n", filepath.Base(dir), count(v.Good, "file"), others)
		}
	}
	return errors.Join(faults...)
}

func millions(n int64) string  { return fmt.Sprintf("%.2f M", float64(n)/1e6) }
func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
