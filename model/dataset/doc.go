// Package dataset makes training data: programs are recorded, their state trees
// sampled into trajectories (arXiv 2603.09951, section 4.2), and those encoded
// into token ids with a loss mask.
//
// A Corpus is where the programs come from: Cases are run when their shard is
// made, Traces were recorded before, and their entries are calls drawn from them.
//
// # On disk
//
// A dataset is a folder. dataset.json says what made it: the seed, all
// parameters, the hashes of grammar and tokenizer, what the programs come from,
// and the statistics. tokenizer.json is the tokenizer; the folder licences has the
// licences of other people's code. README.md is the card that tells the datasets
// library the splits, so that load_dataset("folder") reads them as they are. The
// sequences lie in Parquet files that other readers open too:
//
//	train-00000.parquet    heldout-00000.parquet    shard-00000.json
//
// with one row a sequence and the columns of Sequence. A shard holds the
// programs of one range of cases; its JSON, written last, marks it as complete,
// so that a run that was interrupted goes on where it stopped. A shard that has
// its JSON, but not the other files, is made again. Files appear under their names
// only when they are whole; what a killed run has left of others is removed when
// the dataset is complete.
//
// # On several machines
//
// A shard follows from the corpus and the parameters alone. So a dataset that is
// too large for one machine is made by giving each a range of the shards of the
// same command:
//
//	first$  neuraldbg dataset big --programs 10000000 --tokenizer t.json --shards 0:2500
//	second$ neuraldbg dataset big --programs 10000000 --tokenizer t.json --shards 2500:5000
//	first$  rsync -a second:big/ big/
//	first$  neuraldbg dataset big --programs 10000000 --tokenizer t.json
//
// The last command finds all shards made and completes dataset.json. The tokenizer
// is given, as one trained on the way would be trained on each machine.
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
// there were, in what order they finished, and how busy the machine was, changes
// nothing: what runs too long is told by the processor's time, with a wide margin.
//
// The package knows nothing of tensors: Source hands out ids and masks.
package dataset
