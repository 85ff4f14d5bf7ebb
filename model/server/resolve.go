package server

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ModelsEnv names the environment variable with the folder that has a folder
// for each model.
const ModelsEnv = "NEURALDBG_MODELS"

// Resolve returns the folder of a model. A name without a separator, "nano", is
// a folder in one of the Folders. Anything else is a checkpoint's folder.
func Resolve(name string) (string, error) {
	if strings.ContainsAny(name, `/\`) || name == "." || name == ".." {
		return checkFolder(name)
	}
	if name == "" {
		return "", fmt.Errorf("no model was named")
	}
	var looked []string
	for _, models := range Folders() {
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

// Folders are where models are looked for by name: $NEURALDBG_MODELS, or else
// model/ beside the executable and in the folder above, as in a checkout, where
// the bundled ones are, and the user's own, neuraldbg/models in $XDG_DATA_HOME.
func Folders() []string {
	if dir := os.Getenv(ModelsEnv); dir != "" {
		return []string{dir}
	}
	var folders []string
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err == nil {
		dir := filepath.Dir(self)
		folders = append(folders, filepath.Join(dir, "model"), filepath.Join(filepath.Dir(dir), "model"))
	}
	if data := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
		folders = append(folders, filepath.Join(data, "neuraldbg", "models"))
	} else if home, err := os.UserHomeDir(); err == nil {
		folders = append(folders, filepath.Join(home, ".local", "share", "neuraldbg", "models"))
	}
	return folders
}
