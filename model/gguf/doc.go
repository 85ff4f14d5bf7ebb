// Package gguf reads the model files of llama.cpp, and makes of one a checkpoint's
// folder in Hugging Face's layout, which the engine and the trainer load.
//
// A file is: the magic "GGUF", the version (3) as uint32, the number of tensors
// and of metadata entries as uint64; the metadata, keys with typed values; of
// each tensor its name, its sizes, the first of them running fastest, its number
// type and its place; then, aligned, the data. All numbers are little-endian.
//
// Quantised weights are widened: a file takes four to eight times its size in
// memory. The package knows nothing of LibTorch.
package gguf
