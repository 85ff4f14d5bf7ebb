// Package dataset makes training data: programs are recorded, their state trees
// sampled into trajectories (arXiv 2603.09951, section 4.2), and those encoded
// into token ids with a loss mask.
//
// # On disk
//
// A dataset is a folder. dataset.json says what made it: the seed, all
// parameters, the hashes of grammar and tokenizer, and the statistics.
// tokenizer.json is the tokenizer. The sequences lie in Parquet files that
// other readers open as they are:
//
//	train-00000.parquet    heldout-00000.parquet    shard-00000.json
//
// with one row a sequence and the columns of Sequence. A shard holds the
// programs of one range of cases; its JSON, written last, marks it as complete,
// so that a run that was interrupted goes on where it stopped. Files appear
// under their names only when they are whole.
//
// # What a model may be tested on
//
// A program belongs to the training or to the held-out split by a hash of its
// source (Key), whichever run made it: the same program can never be in both,
// nor in the training data of one dataset and the held-out data of another.
//
// # What is random
//
// Everything follows from the seed and a program's index. How many workers
// there were, and in what order they finished, changes nothing.
//
// The package knows nothing of tensors: Source hands out ids and masks.
package dataset
