"""Writes tiny.gguf, a random llama with a matrix in every number type that is read,
and expected.safetensors, the same in Hugging Face's layout, dequantised by the
gguf library.

Needs `pip install gguf safetensors`.
"""
import pathlib

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Q
from safetensors.numpy import save_file

HERE = pathlib.Path(__file__).parent
HIDDEN, INNER, HEADS, SHARED, DIM, VOCAB = 32, 64, 4, 2, 8, 264
random = np.random.default_rng(5)
writer = gguf.GGUFWriter(HERE / "tiny.gguf", "llama")
writer.add_context_length(128)
writer.add_embedding_length(HIDDEN)
writer.add_block_count(1)
writer.add_feed_forward_length(INNER)
writer.add_head_count(HEADS)
writer.add_head_count_kv(SHARED)
writer.add_layer_norm_rms_eps(1e-5)
writer.add_rope_freq_base(5000.0)

plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
shifted = [b for b in range(256) if b not in plain]
spelling = {**{b: chr(b) for b in plain}, **{b: chr(256 + i) for i, b in enumerate(shifted)}}
tokens = ["<|bos|>"] + [spelling[b] for b in range(256)]
merges = ["d e", "de f", "Ġ r"]
tokens += [m.replace(" ", "") for m in merges] + ["<tool>", "<|eos|>"]
types = [gguf.TokenType.NORMAL] * len(tokens)
types[0] = types[-1] = gguf.TokenType.CONTROL
types[-2] = gguf.TokenType.USER_DEFINED
while len(tokens) < VOCAB:
    tokens.append(f"[PAD{len(tokens)}]")
    types.append(gguf.TokenType.UNUSED)
writer.add_tokenizer_model("gpt2")
writer.add_tokenizer_pre("llama-bpe")
writer.add_token_list(tokens)
writer.add_token_types(types)
writer.add_token_merges(merges)
writer.add_bos_token_id(0)
writer.add_eos_token_id(261)

expected = {}


def add(own, theirs, rows, cols, kind, heads=0):
    """heads: the rows are heads, which llama.cpp has in pairs and others in halves."""
    x = random.normal(size=(rows, cols) if cols else rows).astype(np.float32)
    data = gguf.quantize(x, kind)
    writer.add_tensor(own + ".weight", data, raw_dtype=kind)
    x = gguf.dequantize(data, kind).astype(np.float32).reshape(x.shape)
    if heads:
        x = x.reshape(heads, -1, 2, cols).swapaxes(1, 2).reshape(x.shape)
    expected[theirs + ".weight"] = np.ascontiguousarray(x)


add("token_embd", "model.embed_tokens", VOCAB, HIDDEN, Q.Q8_0)
add("output_norm", "model.norm", HIDDEN, 0, Q.F32)
layer = "model.layers.0."
add("blk.0.attn_norm", layer + "input_layernorm", HIDDEN, 0, Q.F32)
add("blk.0.attn_q", layer + "self_attn.q_proj", HEADS * DIM, HIDDEN, Q.Q4_1, HEADS)
add("blk.0.attn_k", layer + "self_attn.k_proj", SHARED * DIM, HIDDEN, Q.F16, SHARED)
add("blk.0.attn_v", layer + "self_attn.v_proj", SHARED * DIM, HIDDEN, Q.BF16)
add("blk.0.attn_output", layer + "self_attn.o_proj", HIDDEN, HEADS * DIM, Q.Q4_0)
add("blk.0.ffn_norm", layer + "post_attention_layernorm", HIDDEN, 0, Q.F32)
add("blk.0.ffn_gate", layer + "mlp.gate_proj", INNER, HIDDEN, Q.Q4_1)
add("blk.0.ffn_up", layer + "mlp.up_proj", INNER, HIDDEN, Q.Q4_0)
add("blk.0.ffn_down", layer + "mlp.down_proj", HIDDEN, INNER, Q.Q8_0)
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
save_file(expected, HERE / "expected.safetensors")
