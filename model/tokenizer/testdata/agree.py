"""Writes agreement.json: the ids that Hugging Face's tokenizers, and tiktoken for
a rank file, give to texts.

Needs `pip install tokenizers tiktoken`. own.tokenizer.json comes from `go test
-update`; the others are made here, with the patterns of well-known models.
"""
import base64
import json
import pathlib

import tiktoken
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

HERE = pathlib.Path(__file__).parent
GOLDEN = """def count(s, t):
    n = 0
    for c in s:
        n += int(c == t)
    return n

def main():
    return count("berry", "r")
"""
TEXTS = [
    GOLDEN,
    "",
    " ",
    "\n\n  \n",
    '{"s": "\'berry\'", "t": "\'r\'"}{"..": "..", "n": "0"}',
    "x = [1, -23, 4.5e-7, 'ab', \"it's\", b'\\x00']  # a comment",
    "class Stack(object):\n\tdef push(self, item_1=None):\n\t\tself._items.append(item_1)\r\n",
    "naïve café — 日本語テキスト, Ελληνικά, e\u0301 ٣²½ \u2028 \U0001f600!",
    "        " * 9 + "return   not   x",
    "')), (('[[]]{}\"\"\"'''",
    "<|frame_sep|>".replace("|", "||"),
    "don't they'RE I'll we've 'd's",
    (HERE / "languages.py.txt").read_text(),
]
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
# Tokens that stand for themselves in a text: not special, so they are found there.
ADDED = [
    AddedToken("<tool_call>", special=False, normalized=False),
    AddedToken("        ", special=False, normalized=True),
    AddedToken("<fim>", special=False, normalized=False, lstrip=True, rstrip=True),
    AddedToken("not", special=False, normalized=False, single_word=True),
]
ADDED_TEXTS = ["a<tool_call>b <tool_call>", "x  <fim>  y<fim>", "not nothing knot not_ not.", "é        <tool_call><fim>"]


def split(pattern):
    return pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(pattern), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )


def train(name, pre_tokenizer, normalizer=None, added=(), forget_merges=0):
    """Trains and saves. Of the last forget_merges merges only the tokens stay:
    with ignore_merges they are still found where they are a whole pre-token."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.ByteLevel()
    if normalizer:
        tokenizer.normalizer = normalizer
    trainer = trainers.BpeTrainer(
        vocab_size=360,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXTS * 3, trainer)
    tokenizer.add_tokens(list(added))
    content = json.loads(tokenizer.to_str())
    if forget_merges:
        content["model"]["ignore_merges"] = True
        del content["model"]["merges"][-forget_merges:]
    (HERE / name).write_text(json.dumps(content, ensure_ascii=False, indent=0) + "\n")


def write_ranks(name):
    """Writes a tiktoken rank file with the tokens of the llama3 tokenizer."""
    content = json.loads((HERE / "llama3.tokenizer.json").read_text())
    tokens = [t for t in content["model"]["vocab"] if t != "<|endoftext|>"]
    tokens.sort(key=lambda t: content["model"]["vocab"][t])
    lines = [
        base64.b64encode(bytes(byte_spelling()[c] for c in t)).decode() + f" {rank}\n" for rank, t in enumerate(tokens)
    ]
    (HERE / name).write_text("".join(lines))


def byte_spelling():
    """The character that stands for each byte in a tokenizer.json."""
    plain = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    shifted = [b for b in range(256) if b not in plain]
    return {**{chr(b): b for b in plain}, **{chr(0x100 + i): b for i, b in enumerate(shifted)}}


def hugging_face_ids(path):
    tokenizer = Tokenizer.from_file(str(path))
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def tiktoken_ids(path):
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(str.split, path.read_text().splitlines())}
    encoding = tiktoken.Encoding("test", pat_str=LLAMA3, mergeable_ranks=ranks, special_tokens={})
    return encoding.encode_ordinary


train("llama3.tokenizer.json", split(LLAMA3), forget_merges=20)
train("qwen2.tokenizer.json", split(QWEN2), normalizers.NFC(), ADDED)
train("gpt2.tokenizer.json", pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True))
train(
    "smollm2.tokenizer.json",
    pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    ),
)
write_ranks("llama3.tiktoken")

agreement = []
for path in sorted([*HERE.glob("*.tokenizer.json"), *HERE.glob("*.tiktoken")]):
    encode = tiktoken_ids(path) if path.suffix == ".tiktoken" else hugging_face_ids(path)
    texts = TEXTS + (ADDED_TEXTS if path.name.startswith("qwen2") else [])
    agreement.append({"file": path.name, "cases": [{"text": t, "ids": encode(t)} for t in texts]})
lines = [
    json.dumps({"file": a["file"]}, ensure_ascii=False)[:-1]
    + ', "cases": [\n'
    + ",\n".join(json.dumps(c, ensure_ascii=False, separators=(",", ":")) for c in a["cases"])
    + "\n]}"
    for a in agreement
]
(HERE / "agreement.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")
