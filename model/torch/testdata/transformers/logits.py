"""Prints the logits, in float32, that transformers computes with a checkpoint:

    logits.py FOLDER TOKEN…

one line a token. Needs `pip install torch transformers`.
"""
import sys

import torch
from transformers import AutoModelForCausalLM

folder, *tokens = sys.argv[1:]
model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
with torch.no_grad():
    logits = model(torch.tensor([[int(t) for t in tokens]])).logits[0]
for row in logits.tolist():
    print(*(f"{x:.9g}" for x in row))
