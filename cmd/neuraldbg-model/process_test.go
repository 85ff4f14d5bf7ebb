package main

import (
	"os"
	"testing"
)

// processEnv makes this test's executable neuraldbg-model itself, so that a
// client can start it as a process.
const processEnv = "NEURALDBG_TEST_MODEL_PROCESS"

func TestMain(m *testing.M) {
	if os.Getenv(processEnv) != "" {
		os.Exit(run(os.Args[1:]))
	}
	os.Exit(m.Run())
}
