"""Computes with a Llama in PyTorch's eager mode, as the peer of neuraldbg's engine.

    peer.py CONFIG THREADS CONTEXT TOKENS ROUNDS

CONFIG is a config.json; the weights are random. A round is a prompt of CONTEXT
tokens, then TOKENS tokens one by one. Prints one line of JSON: decode_tokens_per_s
and prefill_tokens_per_s, the medians of the rounds, decode_cpu_s and torch, the
version. The code is the usual eager one: a module for each projection, a cache
that grows by concatenation, the fused attention where PyTorch has it.
"""

import json
import math
import os
import statistics
import sys
import time

config_path, threads, context, tokens, rounds = sys.argv[1], *map(int, sys.argv[2:])
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(threads)

import torch  # noqa: E402, it reads the number of threads
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402


class Norm(nn.Module):
    def __init__(self, width, epsilon):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.epsilon = epsilon

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.epsilon) * self.weight


def turn(x, cos, sin):
    half = x.shape[-1] // 2
    return x * cos + torch.cat((-x[..., half:], x[..., :half]), -1) * sin


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        d, f = c["hidden_size"], c["intermediate_size"]
        self.heads, self.shared = c["num_attention_heads"], c["num_attention_heads"] // c["num_key_value_heads"]
        self.dim = c.get("head_dim", d // self.heads)
        self.norm1, self.norm2 = Norm(d, c["rms_norm_eps"]), Norm(d, c["rms_norm_eps"])

        def linear(rows, cols):
            return nn.Linear(cols, rows, bias=False)

        self.q, self.out = linear(self.heads * self.dim, d), linear(d, self.heads * self.dim)
        self.k, self.v = (linear(c["num_key_value_heads"] * self.dim, d) for _ in "kv")
        self.gate, self.up, self.down = linear(f, d), linear(f, d), linear(d, f)

    def forward(self, x, cos, sin, mask, cache):
        n = x.shape[1]
        h = self.norm1(x)
        q, k, v = (p(h).view(1, n, -1, self.dim).transpose(1, 2) for p in (self.q, self.k, self.v))
        q, k = turn(q, cos, sin), turn(k, cos, sin)
        if cache:
            k, v = torch.cat((cache[0], k), 2), torch.cat((cache[1], v), 2)
        cache[:] = k, v
        if self.shared > 1:
            k, v = (t.repeat_interleave(self.shared, 1) for t in (k, v))
        if hasattr(F, "scaled_dot_product_attention"):
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        else:
            scores = q @ k.transpose(-1, -2) / math.sqrt(self.dim)
            y = (scores if mask is None else scores + mask).softmax(-1) @ v
        x = x + self.out(y.transpose(1, 2).reshape(1, n, -1))
        h = self.norm2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class Llama(nn.Module):
    def __init__(self, c):
        super().__init__()
        d = c["hidden_size"]
        self.embed = nn.Embedding(c["vocab_size"], d)
        nn.init.normal_(self.embed.weight, std=0.02)
        self.blocks = nn.ModuleList(Block(c) for _ in range(c["num_hidden_layers"]))
        self.norm = Norm(d, c["rms_norm_eps"])
        half = self.blocks[0].dim // 2
        frequency = c["rope_theta"] ** (-torch.arange(half) / half)
        angles = torch.arange(c["max_position_embeddings"])[:, None] * frequency
        self.cos, self.sin = (torch.cat((f, f), -1) for f in (angles.cos(), angles.sin()))

    def forward(self, ids, caches):
        n, past = ids.shape[1], caches[0][0].shape[2] if caches[0] else 0
        mask = torch.full((n, n), -math.inf).triu(1) if n > 1 else None
        x = self.embed(ids)
        for block, cache in zip(self.blocks, caches):
            x = block(x, self.cos[past : past + n], self.sin[past : past + n], mask, cache)
        return F.linear(self.norm(x[:, -1]), self.embed.weight)  # tied


def main():
    torch.set_num_threads(threads)
    with open(config_path) as f:
        config = json.load(f)
    model = Llama(config).eval()
    ids = torch.arange(context)[None] * 7 % config["vocab_size"]
    prefill, decode, cpu = [], [], []
    with torch.inference_mode():
        for round in range(rounds + 1):  # the first is not counted
            caches = [[] for _ in model.blocks]
            began = time.perf_counter()
            model(ids, caches)
            between, cpu_before = time.perf_counter(), time.process_time()
            for i in range(tokens):
                model(ids[:, i % context : i % context + 1], caches)
            ended, cpu_after = time.perf_counter(), time.process_time()
            if round > 0:
                prefill.append(context / (between - began))
                decode.append(tokens / (ended - between))
                cpu.append((cpu_after - cpu_before) / tokens)
    print(
        json.dumps(
            {
                "prefill_tokens_per_s": statistics.median(prefill),
                "decode_tokens_per_s": statistics.median(decode),
                "decode_cpu_s": statistics.median(cpu),
                "torch": torch.__version__,
            }
        )
    )


main()
