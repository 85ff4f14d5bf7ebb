package dataset

// Sequence is one trajectory as a model is trained on it: a row of a shard.
type Sequence struct {
	// Text is the trace as people read it, special tokens spelled out. In it a
	// special token cannot be told from a program's text that looks like one;
	// InputIDs can.
	Text string `parquet:"text,zstd" json:"text"`
	// InputIDs are the token ids, at most Params.MaxTokens of them.
	InputIDs []int32 `parquet:"input_ids,list,zstd" json:"input_ids"`
	// LossMask has an entry a token: whether the model is to predict it from
	// those before it. Code, start state and actions are given.
	LossMask []bool `parquet:"loss_mask,list,zstd" json:"loss_mask"`
	// Direction is "forward" or "inverse".
	Direction string `parquet:"direction,dict,zstd" json:"direction"`
	// Actions are the names of the actions, in order.
	Actions []string `parquet:"actions,list,dict,zstd" json:"actions"`
	// Source tells which program it is, such as "generated/1/4711": all
	// trajectories of a program have the same.
	Source string `parquet:"source,zstd" json:"source"`
	// Truncated says that the trajectory was longer than the context, and was
	// cut behind a state.
	Truncated bool `parquet:"truncated,zstd" json:"truncated"`
}
