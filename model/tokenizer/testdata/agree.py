"""Writes agreement.json: the ids that Hugging Face's tokenizers gives to texts.

Needs `pip install tokenizers`. own.tokenizer.json comes from `go test -update`;
the two others are made here, with the patterns of well-known models.
"""
import json
import pathlib

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

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
]
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def train(name, pre_tokenizer, normalizer=None):
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
    tokenizer.save(str(HERE / name))


train(
    "llama3.tokenizer.json",
    pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(LLAMA3), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    ),
    normalizers.NFC(),
)
train(
    "smollm2.tokenizer.json",
    pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    ),
)
agreement = []
for path in sorted(HERE.glob("*.tokenizer.json")):
    tokenizer = Tokenizer.from_file(str(path))
    cases = [{"text": t, "ids": tokenizer.encode(t, add_special_tokens=False).ids} for t in TEXTS]
    agreement.append({"file": path.name, "cases": cases})
(HERE / "agreement.json").write_text(json.dumps(agreement, indent=1, ensure_ascii=False) + "\n")
