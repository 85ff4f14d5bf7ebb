#!/usr/bin/env python3
"""Evaluates the expressions of expressions.txt and writes what CPython says.

    PYTHONHASHSEED=0 python3 generate.py > golden.jsonl

The first line holds the names with their reprs, each other line one expression
with its value's repr or the class of the exception that it raises. A line of
expressions.txt that begins with "! " is an expression that package expr refuses;
one that begins with "#" is a comment.
"""
import contextlib
import copy
import io
import json
import os
import sys
import warnings

warnings.simplefilter('ignore')
here = os.path.dirname(os.path.abspath(__file__))
namespace = {'__name__': '__main__'}
with open(os.path.join(here, 'names.py'), encoding='utf-8') as file:
    exec(file.read(), namespace)
skip = {'Point', 'Color', 'Pair', 'Enum', 'dataclass', 'namedtuple', 'datetime', 'Counter', 'OrderedDict', 'defaultdict', 'deque'}
names = {k: v for k, v in namespace.items() if not k.startswith('__') and k not in skip}


def write(row):
    print(json.dumps(row, ensure_ascii=True))


write({'names': {k: repr(v) for k, v in names.items()}})
with open(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, 'expressions.txt'), encoding='utf-8') as file:
    for line in file:
        line = line.rstrip('\n')
        refused = line.startswith('! ')
        expression = line[2:] if refused else line
        if not expression or expression.startswith('#'):
            continue
        row = {'expression': expression}
        if refused:
            write(row | {'refused': True})
            continue
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                row['value'] = repr(eval(expression, copy.deepcopy(names)))
        except Exception as e:
            row['raises'] = type(e).__name__
        write(row)
