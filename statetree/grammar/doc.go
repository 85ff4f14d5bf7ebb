// Package grammar turns trajectories into the text that a model reads and
// writes, and reads that text back.
//
// A text is a sequence of segments: special tokens, which give it its structure,
// and plain text between them (arXiv 2603.09951, appendix C):
//
//	TRACE     = <|begin_of_text|><|trace_context_start|> CODE STATE (ACTION STATE)* ACTION EXIT
//	call      = <|frame_sep|><|call_sep|><|src_sep|>SRC<|arg_sep|>LOCALS
//	line      = <|frame_sep|><|line_sep|><|arg_sep|>LOCALS<|src_sep|>SRC
//	return    = <|frame_sep|><|return_sep|><|src_sep|>SRC<|arg_sep|>ARGS       exception likewise
//	ACTION    = <|action_sep|> <|step_into|> and so on, or <|breakpoint|>SRC
//	EXIT      = <|frame_sep|> <|exit_normal|> and so on <|trace_end|><|end_of_text|>
//	inverse   = <|frame_sep|> <|inv_line_sep|> and so on <|src_sep|>SRC<|arg_sep|>LOCALS or ARGS
//	          | <|frame_sep|><|inv_line_call_sep|><|src_sep|>SRC
//
// The action_sep that follows a state is what ends the state's last field, so
// here it is written, predicted and parsed as the end of the state. Special
// tokens come from structure only: program text that looks like one is text.
//
// LOCALS is the JSON object that json.dumps(ensure_ascii=False) writes, either in
// full or as a difference, which begins with "..": ".." for all that stays.
// History knows which LOCALS a difference is compared with; writing and reading
// both ask it.
//
// Writer writes trajectories. StateParser is the automaton that reads one
// outcome; a decoder asks it what may come next, so that what it generates
// parses. Parser reads whole texts with the same automaton.
//
// The package must not know token ids, tokenizers or models.
package grammar
