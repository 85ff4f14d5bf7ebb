"""A Llama in PyTorch's eager mode, as the peer that neuraldbg's engine and trainer
are measured beside.

It is the usual eager code: a module for each projection, a cache that grows by
concatenation, the fused attention where PyTorch has it.
"""

import math

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
        self.heads, self.shared = c["num_attention_heads"], c["num_attention_heads"] // c["num_key_value_heads"]
        self.dim = c.get("head_dim", d // self.heads)
        self.norm1, self.norm2 = Norm(d, c["rms_norm_eps"]), Norm(d, c["rms_norm_eps"])

        def linear(rows, cols):
            return nn.Linear(cols, rows, bias=False)

        self.q, self.out = linear(self.heads * self.dim, d), linear(d, self.heads * self.dim)
        self.k, self.v = (linear(c["num_key_value_heads"] * self.dim, d) for _ in "kv")
        self.gate, self.up, self.down = linear(f, d), linear(f, d), linear(d, f)

    def forward(self, x, cos, sin, mask, cache):
        b, n, _ = x.shape
        h = self.norm1(x)
        q, k, v = (p(h).view(b, n, -1, self.dim).transpose(1, 2) for p in (self.q, self.k, self.v))
        q, k = turn(q, cos, sin), turn(k, cos, sin)
        if cache:
            k, v = torch.cat((cache[0], k), 2), torch.cat((cache[1], v), 2)
        if cache is not None:
            cache[:] = k, v
        if self.shared > 1:
            k, v = (t.repeat_interleave(self.shared, 1) for t in (k, v))
        if hasattr(F, "scaled_dot_product_attention"):
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        else:
            scores = q @ k.transpose(-1, -2) / math.sqrt(self.dim)
            y = (scores if mask is None else scores + mask).softmax(-1) @ v
        x = x + self.out(y.transpose(1, 2).reshape(b, n, -1))
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

    def forward(self, ids, caches=None):
        """Returns what the output layer, which is the embedding, is applied to."""
        n, past = ids.shape[1], caches[0][0].shape[2] if caches and caches[0] else 0
        mask = torch.full((n, n), -math.inf).triu(1) if n > 1 else None
        x = self.embed(ids)
        for block, cache in zip(self.blocks, caches or [None] * len(self.blocks)):
            x = block(x, self.cos[past : past + n], self.sin[past : past + n], mask, cache)
        return self.norm(x)
