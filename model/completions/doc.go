// Package completions is a neural.Engine whose model runs elsewhere: behind a
// server that speaks OpenAI's completions API with token ids as prompt, such as
// vLLM or llama.cpp's server.
//
// # What is asked
//
// A request has the tokens so far and asks for the next few, greedily, each with
// the log-probabilities of the most probable tokens at its place:
//
//	POST URL/completions
//	{"model": NAME, "prompt": [128000, …], "max_tokens": 32, "temperature": 0, "logprobs": 20, …}
//
// The grammar is not known to the server. It is kept here, by package neural,
// which asks for logits one position at a time and chooses among the tokens that
// are allowed. As long as it chooses what the server went on with, the next
// positions are in the answer already: only where the grammar, or sampling,
// decides otherwise is there another request. The server's prefix cache then
// spares it all but the new tokens.
//
// A Batch asks for its sequences at the same time.
//
// # What is not known
//
// Of each distribution only the most probable tokens are told. The rest of the
// probability is spread evenly over all others (see row.logits): that is the
// least that can be assumed, and never makes an untold token more probable than
// a told one.
//
// The package must not know of states or of the grammar.
package completions
