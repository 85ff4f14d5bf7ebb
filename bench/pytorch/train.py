"""Trains a Llama in PyTorch's eager mode, as the peer of neuraldbg's trainer.

    train.py CONFIG BATCHES

CONFIG is the model's config.json. A line of BATCHES is a batch: tokens and loss,
both of B rows of T, padded on the right; real is the tokens that are no padding.
Prints one line of JSON: tokens_per_s, the median of the batches' real tokens a
second, and torch, the version.
"""

import json
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

from llama import Llama


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
