// Package torch computes with LibTorch: transformers of the Llama family, their
// key-value caches, checkpoints in Hugging Face's layout, and their training.
// It is the only package that links LibTorch, through gotch/libtch, and no
// tensor type leaves it: token ids and float32 slices go in and out.
//
// It compiles only after set-up: GOWORK=off go run ./cmd/libtorch-setup
//
// How it is built:
//   - Every call to LibTorch runs on one locked OS thread (see thread), because
//     LibTorch keeps its last error per thread and OpenMP makes a team of
//     threads for every calling thread.
//   - Operations are methods of a scope, which frees what they made and keeps
//     the first error. After an error they do nothing, so a computation reads
//     as formulas and is checked once, at its end.
//   - Few positions on the CPU, as in decoding, are computed without LibTorch, by
//     kernels in C (few.go, kernels.h) on memory that its tensors own.
//   - Nothing is differentiated automatically: the backward pass is written out
//     (backward.go), in place and in buffers that outlive the step.
//   - Training computes on the CPU or on a CUDA device. What differs is attention
//     (attention.go, padded.go), and how many matrices Muon takes at once.
//
// # Layout of the weights in memory
//
// q, k and v are one matrix, and so are gate and up. The rows of q and k are
// reordered within each head so that RoPE turns neighbouring numbers, which is
// one multiplication of complex numbers; Hugging Face's files, which rotate
// halves of a head, are reordered when they are read and written. Attention
// scores are the same in both orders.
package torch
