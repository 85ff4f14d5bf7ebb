// Package neural makes a model.Predictor of a language model: it writes the
// prompt, decodes the answer under the grammar, and measures how sure the model
// was.
//
// # Prompt
//
// A session is one token sequence, the text form of package statetree/grammar:
// the code, the start state in full, then action, state, action, state. The
// keys and values of all of it stay in the engine's Cache. Rewinding a step cuts
// both; nothing before it is computed again.
//
// # Decoding
//
// Every token is chosen among those after which the text can still be finished
// as an outcome that the action can lead to. Events come from the control flow
// of the code and from the calls that are open: see source.Trail. SRC is chosen among the source lines that can come next: they
// form a trie of token sequences, each line in the one tokenization that the
// model was trained on, and where a trie node has one child there is nothing to
// choose. LOCALS is the JSON object that the grammar asks for, with names that
// can be bound there, all those among them that must be. What is not a choice is not computed one token at a
// time: it waits, and goes through the engine together with the next choice.
//
// Alternatives are decoded together, one pass a token for all: see batch.go.
//
// A state that uses up its tokens is closed where it stands, and marked. A history
// that outgrows the context is written anew in short: see shorten.go.
//
// # Confidence
//
// The model's probabilities, renormalised over the allowed tokens, at temperature
// 1 or at that of its Calibration. A component's confidence is the product over its tokens; a token
// without a choice counts 1.
//
// The package must not know how an Engine computes.
package neural
