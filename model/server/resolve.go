package server

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ModelsEnv names the environment variable with the folder that has a folder
// for each bundled model.
const ModelsEnv = "NEURALDBG_MODELS"

// Resolve returns the folder of a model. A name without a separator, "nano", is
// a bundled model: a folder in $NEURALDBG_MODELS, or in model/ beside the
// executable or in the folder above, as in a checkout. Anything else is a
// checkpoint's folder.
func Resolve(name string) (string, error) {
	if strings.ContainsAny(name, `/\`) || name == "." || name == ".." {
		return checkFolder(name)
	}
	if name == "" {
		return "", fmt.Errorf("no model was named")
	}
	var looked []string
	for _, models := range bundles() {
		dir := filepath.Join(models, name)
		if _, err := os.Stat(filepath.Join(dir, "config.json")); err == nil {
			return dir, nil
		}
		looked = append(looked, dir)
	}
	return "", fmt.Errorf("there is no model %q: looked for %s; give a checkpoint's folder, or set %s",
		name, strings.Join(looked, ", "), ModelsEnv)
}

func checkFolder(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("the model: %w", err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("the model %s is a file; give the folder that has its config.json", path)
	}
	return path, nil
}

// bundles are the folders in which models may be bundled.
func bundles() []string {
	if dir := os.Getenv(ModelsEnv); dir != "" {
		return []string{dir}
	}
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return nil
	}
	dir := filepath.Dir(self)
	return []string{filepath.Join(dir, "model"), filepath.Join(filepath.Dir(dir), "model")}
}
