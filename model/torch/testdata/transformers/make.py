"""Writes tiny random checkpoints and the logits that Hugging Face's transformers
computes with them: a folder each, with config.json and weights as transformers
saves them, and expected.safetensors.

expected.safetensors has the tensor "logits", float32 [tokens, vocabulary], and
in its metadata the tokens, "1 5 23 …". The logits are computed in float32 from
the weights as they stand in the file, whatever their number type.

Needs `pip install torch transformers`. A run overwrites what is there; the seed
is fixed, but other versions of torch may draw other numbers.
"""
import pathlib
import shutil

import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, CwmConfig, LlamaConfig, Qwen2Config, Qwen3Config

HERE = pathlib.Path(__file__).parent
TOKENS = 70  # longer than cwm's window and llama3's original context

COMMON = dict(
    vocab_size=48,
    hidden_size=24,
    intermediate_size=40,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    max_position_embeddings=128,
    initializer_range=0.3,
    bos_token_id=0,
    eos_token_id=1,
)
LLAMA3_SCALING = {
    "rope_type": "llama3",
    "rope_theta": 10000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}

# name: (configuration, number type in the file, largest shard)
CHECKPOINTS = {
    "llama-tied": (LlamaConfig(**COMMON, tie_word_embeddings=True, rms_norm_eps=1e-5), torch.float32, None),
    "llama-untied-llama3-rope": (
        LlamaConfig(**COMMON, tie_word_embeddings=False, rope_parameters=LLAMA3_SCALING),
        torch.float32,
        None,
    ),
    "llama-bfloat16-sharded": (
        LlamaConfig(**COMMON, tie_word_embeddings=False, rope_theta=500000.0),
        torch.bfloat16,
        "10KB",
    ),
    "llama-float16": (LlamaConfig(**COMMON, tie_word_embeddings=True), torch.float16, None),
    "qwen2": (Qwen2Config(**COMMON, tie_word_embeddings=True), torch.float32, None),
    # Heads that are wider than hidden_size / num_attention_heads.
    "qwen3": (Qwen3Config(**COMMON, head_dim=8, tie_word_embeddings=False), torch.float32, None),
    "cwm": (
        CwmConfig(
            **{**COMMON, "num_hidden_layers": 4, "intermediate_size": 24},
            head_dim=6,
            sliding_window=16,
            layer_types=["full_attention", "sliding_attention", "sliding_attention", "sliding_attention"],
            rope_parameters={**LLAMA3_SCALING, "rope_theta": 1e6, "factor": 16.0},
            tie_word_embeddings=False,
        ),
        torch.float32,
        None,
    ),
}


def make(name, config, dtype, shard):
    torch.manual_seed(len(name))
    model = AutoModelForCausalLM.from_config(config, attn_implementation="eager")
    with torch.no_grad():
        for parameter, value in model.named_parameters():
            if "norm" in parameter:
                value.uniform_(0.5, 1.5)
            elif parameter.endswith("bias"):
                value.normal_(std=0.3)
    folder = HERE / name
    shutil.rmtree(folder, ignore_errors=True)
    model.to(dtype).save_pretrained(folder, **({"max_shard_size": shard} if shard else {}))
    (folder / "generation_config.json").unlink(missing_ok=True)

    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    tokens = torch.randint(config.vocab_size, (TOKENS,))
    with torch.no_grad():
        logits = model(tokens[None]).logits[0]
    save_file(
        {"logits": logits.contiguous()},
        folder / "expected.safetensors",
        {"tokens": " ".join(str(t) for t in tokens.tolist())},
    )
    print(name, "logits", logits.std().item())


if __name__ == "__main__":
    for name, checkpoint in CHECKPOINTS.items():
        make(name, *checkpoint)
