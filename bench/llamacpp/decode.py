"""Computes with a Llama in llama.cpp, in float32, as the peer of neuraldbg's engine.

    decode.py CONFIG THREADS CONTEXT TOKENS ROUNDS

CONFIG is a config.json; the weights are random. A round is a prompt of CONTEXT
tokens, then TOKENS tokens one by one, by the server's own clocks; the choice of each
token, greedy, is in its time. Prints one line of JSON: decode_tokens_per_s and
prefill_tokens_per_s, the medians of the rounds, decode_cpu_s and prefill_cpu_s,
the processors' seconds for a token of each, and version, of xllamacpp.
"""

import json
import os
import statistics
import sys
import tempfile
import time
from importlib.metadata import version

import gguf
import numpy as np
import xllamacpp

config_path, threads, context, tokens, rounds = sys.argv[1], *map(int, sys.argv[2:])


def write_model(path, c):
    """Writes a Llama with random weights and a vocabulary of made-up words."""
    heads, layers, width = c["num_attention_heads"], c["num_hidden_layers"], c["hidden_size"]
    shared, inner, vocab = c["num_key_value_heads"], c["intermediate_size"], c["vocab_size"]
    dim = c.get("head_dim", width // heads)
    w = gguf.GGUFWriter(path, "llama")
    w.add_vocab_size(vocab)
    w.add_context_length(c["max_position_embeddings"])
    w.add_embedding_length(width)
    w.add_block_count(layers)
    w.add_feed_forward_length(inner)
    w.add_head_count(heads)
    w.add_head_count_kv(shared)
    w.add_key_length(dim)
    w.add_value_length(dim)
    w.add_rope_dimension_count(dim)
    w.add_rope_freq_base(c["rope_theta"])
    w.add_layer_norm_rms_eps(c["rms_norm_eps"])
    w.add_file_type(gguf.LlamaFileType.ALL_F32)
    w.add_tokenizer_model("llama")
    w.add_token_list(["<unk>", "<s>", "</s>"] + [f"▁w{i}" for i in range(3, vocab)])
    w.add_token_scores([0.0] * vocab)
    types = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL]
    w.add_token_types(types + [gguf.TokenType.NORMAL] * (vocab - 3))
    random = np.random.default_rng(1)

    def add(name, *shape):
        if len(shape) == 1:
            numbers = np.ones(shape, np.float32)
        else:
            numbers = random.standard_normal(shape, np.float32) * np.float32(0.02)
        w.add_tensor(name + ".weight", numbers)

    add("token_embd", vocab, width)
    if not c["tie_word_embeddings"]:
        add("output", vocab, width)
    add("output_norm", width)
    for i in range(layers):
        layer = f"blk.{i}."
        add(layer + "attn_norm", width)
        add(layer + "attn_q", heads * dim, width)
        add(layer + "attn_k", shared * dim, width)
        add(layer + "attn_v", shared * dim, width)
        add(layer + "attn_output", width, heads * dim)
        add(layer + "ffn_norm", width)
        add(layer + "ffn_gate", inner, width)
        add(layer + "ffn_up", inner, width)
        add(layer + "ffn_down", width, inner)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def open_server(path):
    p = xllamacpp.CommonParams()
    p.model.path = path
    p.n_ctx = context + tokens + 8
    p.n_parallel = 1
    p.n_gpu_layers = 0
    p.cpuparams.n_threads = p.cpuparams_batch.n_threads = threads
    p.cache_type_k = p.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
    p.fit_params = False
    p.verbosity = 0
    return xllamacpp.Server(p)


def measure(server, ids, n):
    """Returns the server's timings and the processors' seconds."""
    cpu = time.process_time()
    answer = server.handle_completions(
        {"prompt": ids, "n_predict": n, "max_tokens": n, "temperature": 0, "ignore_eos": True, "cache_prompt": False}
    )
    if isinstance(answer, str):
        answer = json.loads(answer)
    return answer["timings"], time.process_time() - cpu


def main():
    with open(config_path) as f:
        config = json.load(f)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "random.gguf")
        write_model(path, config)
        server = open_server(path)
    ids = [3 + i * 7 % (config["vocab_size"] - 3) for i in range(context)]
    prefill, decode, prefill_cpu, decode_cpu = [], [], [], []
    for round in range(rounds + 1):  # the first is not counted
        _, before = measure(server, ids, 1)
        timings, cpu = measure(server, ids, tokens + 1)
        if round > 0:
            prefill.append(timings["prompt_per_second"])
            decode.append(timings["predicted_per_second"])
            prefill_cpu.append(before / context)
            decode_cpu.append((cpu - before) / tokens)
    print(
        json.dumps(
            {
                "prefill_tokens_per_s": statistics.median(prefill),
                "decode_tokens_per_s": statistics.median(decode),
                "prefill_cpu_s": statistics.median(prefill_cpu),
                "decode_cpu_s": statistics.median(decode_cpu),
                "version": version("xllamacpp"),
            }
        )
    )


main()
