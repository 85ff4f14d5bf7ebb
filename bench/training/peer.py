"""Trains a Llama in PyTorch's eager mode, as the peer of neuraldbg's trainer.

    peer.py CONFIG BATCHES

CONFIG is the model's config.json. A line of BATCHES is a batch: tokens and loss,
both of B rows of T, padded on the right; real is the tokens that are no padding.
Prints one line of JSON: tokens_per_s, the median of the batches' real tokens a
second, and torch, the version.
"""

import json
import math
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F


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
        self.heads = c["num_attention_heads"]
        self.norm1, self.norm2 = Norm(d, c["rms_norm_eps"]), Norm(d, c["rms_norm_eps"])
        self.qkv, self.out = nn.Linear(d, 3 * d, bias=False), nn.Linear(d, d, bias=False)
        self.gate_up, self.down = nn.Linear(d, 2 * f, bias=False), nn.Linear(f, d, bias=False)

    def forward(self, x, cos, sin, mask):
        b, t, d = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        q, k = turn(q, cos, sin), turn(k, cos, sin)
        if hasattr(F, "scaled_dot_product_attention"):
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            y = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + mask).softmax(-1) @ v
        x = x + self.out(y.transpose(1, 2).reshape(b, t, d))
        gate, up = self.gate_up(self.norm2(x)).chunk(2, -1)
        return x + self.down(F.silu(gate) * up)


class Llama(nn.Module):
    def __init__(self, c):
        super().__init__()
        d = c["hidden_size"]
        self.embed = nn.Embedding(c["vocab_size"], d)
        nn.init.normal_(self.embed.weight, std=0.02)
        self.blocks = nn.ModuleList(Block(c) for _ in range(c["num_hidden_layers"]))
        self.norm = Norm(d, c["rms_norm_eps"])
        half = d // c["num_attention_heads"] // 2
        frequency = c["rope_theta"] ** (-torch.arange(half) / half)
        angles = torch.arange(c["max_position_embeddings"])[:, None] * frequency
        self.cos, self.sin = (torch.cat((f, f), -1) for f in (angles.cos(), angles.sin()))

    def forward(self, tokens):
        t = tokens.shape[1]
        mask = torch.full((t, t), -math.inf).triu(1)
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x, self.cos[:t], self.sin[:t], mask)
        return self.norm(x)


def main():
    config = json.load(open(sys.argv[1]))
    torch.manual_seed(1)
    model = Llama(config)
    matrices = [p for p in model.parameters() if p.ndim > 1]
    vectors = [p for p in model.parameters() if p.ndim == 1]
    optimizer = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}], lr=1e-3, betas=(0.9, 0.95)
    )
    speeds = []
    for line in open(sys.argv[2]):
        batch = json.loads(line)
        tokens, loss = torch.tensor(batch["tokens"]), torch.tensor(batch["loss"])
        began = time.perf_counter()
        x = model(tokens[:, :-1])[loss[:, 1:]]  # the rows that are needed
        F.cross_entropy(x @ model.embed.weight.T, tokens[:, 1:][loss[:, 1:]]).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        speeds.append(batch["real"] / (time.perf_counter() - began))
    warm = len(speeds) // 5
    print(json.dumps({"tokens_per_s": statistics.median(speeds[warm:]), "torch": torch.__version__}))


main()
