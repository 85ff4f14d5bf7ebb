"""Computes with a Llama in PyTorch's eager mode, as the peer of neuraldbg's engine.

    decode.py CONFIG THREADS CONTEXT TOKENS ROUNDS

CONFIG is a config.json; the weights are random. A round is a prompt of CONTEXT
tokens, then TOKENS tokens one by one. Prints one line of JSON: decode_tokens_per_s
and prefill_tokens_per_s, the medians of the rounds, decode_cpu_s and prefill_cpu_s,
the processors' seconds for a token of each, and version, that of torch.
"""

import json
import os
import statistics
import sys
import time

config_path, threads, context, tokens, rounds = sys.argv[1], *map(int, sys.argv[2:])
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(threads)

import torch  # noqa: E402, it reads the number of threads
from llama import Llama  # noqa: E402


def main():
    torch.set_num_threads(threads)
    with open(config_path) as f:
        config = json.load(f)
    model = Llama(config).eval()
    ids = torch.arange(context)[None] * 7 % config["vocab_size"]
    prefill, decode, prefill_cpu, decode_cpu = [], [], [], []

    def predict(ids, caches):
        return model(ids, caches)[:, -1] @ model.embed.weight.T

    with torch.inference_mode():
        for round in range(rounds + 1):  # the first is not counted
            caches = [[] for _ in model.blocks]
            began, cpu_began = time.perf_counter(), time.process_time()
            predict(ids, caches)
            between, cpu_between = time.perf_counter(), time.process_time()
            for i in range(tokens):
                predict(ids[:, i % context : i % context + 1], caches)
            ended, cpu_ended = time.perf_counter(), time.process_time()
            if round > 0:
                prefill.append(context / (between - began))
                decode.append(tokens / (ended - between))
                prefill_cpu.append((cpu_between - cpu_began) / context)
                decode_cpu.append((cpu_ended - cpu_between) / tokens)
    print(
        json.dumps(
            {
                "prefill_tokens_per_s": statistics.median(prefill),
                "decode_tokens_per_s": statistics.median(decode),
                "prefill_cpu_s": statistics.median(prefill_cpu),
                "decode_cpu_s": statistics.median(decode_cpu),
                "version": torch.__version__,
            }
        )
    )


main()
