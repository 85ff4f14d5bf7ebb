module github.com/neuraldbg/neuraldbg

go 1.24
