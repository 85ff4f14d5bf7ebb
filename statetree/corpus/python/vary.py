"""Makes calls like given ones, with other arguments of the same types.

    python vary.py COUNT

Standard input has one JSON object a line, {"function", "call"}, where the arguments
of every call in the expression are literals, as scan.py finds them; standard output
gets up to COUNT lines for each, {"entry", "call"}, where entry is the number of the
line that the call was made from. No call comes twice, nor one that was given. The
same input gives the same output.

An argument is changed a little, or replaced by one that another call of the function
has in its place: so the arguments stay what the function is for, mostly. This is the
type-aware mutation of EvalPlus (arXiv 2305.01210).
"""

import ast
import json
import math
import random
import string
import sys

LONGEST_CALL = 200
# How often a variation is tried for each that is wanted: some come out the same.
ATTEMPTS = 4
# The share of arguments that are taken from another call.
BORROWED = 0.3
# Beyond it a number is changed by small steps only: it may be a size.
LARGE = 1000


def places_in(expression):
    """The places in an expression that hold arguments of its calls: (list, index), or
    (keyword, None)."""
    for node in ast.walk(expression):
        if isinstance(node, ast.Call):
            yield from ((node.args, i) for i in range(len(node.args)))
            yield from ((keyword, None) for keyword in node.keywords)


def get(place):
    holder, index = place
    return ast.literal_eval(holder.value if index is None else holder[index])


def put(place, value):
    holder, index = place
    node = ast.parse(repr(value), mode="eval").body
    if index is None:
        holder.value = node
    else:
        holder[index] = node


def vary(value, draw):
    """A value of the same type, mostly another one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return vary_int(value, draw)
    if isinstance(value, float) and math.isfinite(value * 2):
        return round(draw.choice([value + 1, value - 1, value + 0.5, value * 2, value / 2, -value]), 6)
    if isinstance(value, str):
        return vary_text(value, draw)
    if isinstance(value, (list, tuple)):
        return type(value)(vary_items(list(value), draw))
    if isinstance(value, dict):
        return vary_dict(value, draw)
    if isinstance(value, set) and value:
        items = sorted(value, key=repr)
        return set(vary_items(items, draw)) or value
    return value


def vary_int(value, draw):
    if abs(value) > LARGE:
        return value + draw.choice([-2, -1, 1, 2])
    near = [value + 1, value - 1, value + draw.randint(2, 9), value - draw.randint(2, 9), value * 2, value // 2]
    # What was never negative is seldom meant to be.
    return draw.choice([n for n in near if n >= 0] if value >= 0 and draw.random() < 0.9 else near + [-value])


def vary_text(text, draw):
    if not text:
        return draw.choice(string.ascii_lowercase)
    at = draw.randrange(len(text))
    end = draw.randint(at + 1, len(text))
    return draw.choice([
        lambda: text[:at] + text[at + 1 :],
        lambda: text[:at] + text[at] + text[at:],
        lambda: text[:at] + draw.choice(text) + text[at + 1 :],
        lambda: text[:at] + like(text[at], draw) + text[at + 1 :],
        lambda: text[:at] + like(text[at], draw) + text[at:],
        lambda: text[:at] + text[end:],
        lambda: text[at:end],
        lambda: text[:at] + text[at:end].swapcase() + text[end:],
        lambda: text[:at] + text[at:end][::-1] + text[end:],
        lambda: " ".join(draw.sample(text.split(" "), len(text.split(" ")))),
    ])()


def like(letter, draw):
    """A character of the same sort."""
    for sort in string.digits, string.ascii_lowercase, string.ascii_uppercase:
        if letter in sort:
            return draw.choice(sort)
    return letter


def vary_items(items, draw):
    if not items:
        return items
    at, other = draw.randrange(len(items)), draw.randrange(len(items))
    what = draw.randrange(7)
    if what == 0:
        del items[at]
    elif what == 1:
        items.insert(other, items[at])
    elif what == 2:
        items[at], items[other] = items[other], items[at]
    elif what == 3:
        items.insert(other, vary(items[at], draw))
    elif what == 4:
        items.reverse()
    else:
        items[at] = vary(items[at], draw)
    return items


def vary_dict(pairs, draw):
    if not pairs:
        return pairs
    items = list(pairs.items())
    at, other = draw.randrange(len(items)), draw.randrange(len(items))
    (key, value), what = items[at], draw.randrange(5)
    if what == 0:
        del items[at]
    elif what == 1:
        items[at] = vary(key, draw), value
    elif what == 2:
        items[at] = key, items[other][1]
    else:
        items[at] = key, vary(value, draw)
    return dict(items)


class Given:
    """What was given: the calls, and the arguments that functions have in each place."""

    def __init__(self, lines):
        self.entries = [json.loads(line) for line in lines]
        self.seen = {(e["function"], e["call"]) for e in self.entries}
        self.arguments = {}
        for entry in self.entries:
            for number, place in enumerate(places_in(ast.parse(entry["call"], mode="eval"))):
                known = self.arguments.setdefault((entry["function"], number), [])
                if get(place) not in known:
                    known.append(get(place))

    def variations(self, entry, count):
        draw = random.Random(entry["function"] + entry["call"])
        for _ in range(ATTEMPTS * count):
            if count == 0:
                return
            text = self.variation(entry, draw)
            if text is None:
                return
            if len(text) <= LONGEST_CALL and (entry["function"], text) not in self.seen:
                self.seen.add((entry["function"], text))
                count -= 1
                yield text

    def variation(self, entry, draw):
        tree = ast.parse(entry["call"], mode="eval")
        places = list(enumerate(places_in(tree)))
        if not places:
            return None
        for number, place in draw.sample(places, draw.randint(1, len(places))):
            value = get(place)
            others = [v for v in self.arguments[entry["function"], number] if type(v) is type(value) and v != value]
            if others and draw.random() < BORROWED:
                put(place, draw.choice(others))
            else:
                put(place, vary(value, draw))
        return ast.unparse(tree)


def main():
    given = Given(sys.stdin)
    for number, entry in enumerate(given.entries):
        for text in given.variations(entry, int(sys.argv[1])):
            print(json.dumps({"entry": number, "call": text}))


if __name__ == "__main__":
    main()
