"""Prints, for each Python file given on standard input (one path a line), the
lines for which CPython emits line events in each of its code objects:
{"path": ..., "codes": [[qualified name, first line, [line, ...]], ...]}.
Comprehensions are left out: their frames are folded into the line around them.
"""
import dis
import json
import sys
import tokenize

FOLDED = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}


def lines_of(code):
    resumed = False
    lines = set()
    for instruction in dis.get_instructions(code):
        if resumed and instruction.positions.lineno:
            lines.add(instruction.positions.lineno)
        resumed = resumed or instruction.opname == "RESUME"
    return sorted(lines)


def walk(code, out):
    if code.co_name not in FOLDED:
        out.append([code.co_qualname, code.co_firstlineno, lines_of(code)])
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            walk(constant, out)


for path in sys.stdin.read().split("\n"):
    if path:
        with tokenize.open(path) as file:
            text = file.read()
        codes = []
        walk(compile(text, path, "exec", dont_inherit=True), codes)
        print(json.dumps({"path": path, "codes": codes}))
