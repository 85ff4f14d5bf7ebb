// Package cwm makes a model.Predictor of a language model that speaks the
// execution traces of Meta's Code World Model (CWM, arXiv 2510.02387) instead of
// this project's own grammar.
//
// # Text
//
// The prompt is the code, with the mark StartMark behind the line at which the
// trace begins. A trace is frames, one an event of sys.settrace:
//
//	<|begin_of_text|><|trace_context_start|>CODE<|frame_sep|>FRAME…<|end_of_text|>
//	call      <|call_sep|>LOCALS<|action_sep|>SRC<|frame_sep|>
//	line      <|line_sep|>LOCALS<|action_sep|>SRC<|frame_sep|>
//	return    <|return_sep|><|action_sep|>SRC<|arg_sep|>VALUE<|frame_sep|>
//	exception <|exception_sep|><|action_sep|>SRC<|arg_sep|>VALUE<|frame_sep|>
//
// LOCALS and VALUE are JSON as in package statetree/grammar, whose automaton
// constrains them here too; SRC is a line with its line end. LOCALS lists every
// name; a value that did not change is "..".
//
// # Actions
//
// The dialect has no actions. step_into is one frame. The others predict frames
// until their target comes: step_over, step_return and breakpoint, and continue
// to the end. A call that a step goes over is not followed: after its call frame
// <|return_sep|> is written at once, and the model predicts what the call
// returns. What was predicted on the way stays in the session's tokens, since the
// model knows the run from it alone. Options.MaxFrames bounds it; the count so
// far is reported through model.ReportProgress.
//
// There is nothing inverse, and no proposal of a state inside a function.
//
// The package must not know how an Engine computes.
package cwm
