"""Prints values of many kinds, one a line: a JSON array of the repr and of the
value's shape, a text that says of each part what it is; the shape is empty
where only the repr matters. The values are the same every time.
"""
import array
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import json
import random

Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Node:
    value: object
    next: object = None


class Color(enum.Enum):
    RED = 1
    TEXT = "it's"
    LIST = [1, 2]


class Mode(enum.IntFlag):
    R = 4
    W = 2


def hexadecimal(text):
    return text.encode("utf-8", "surrogatepass").hex()


def shape(v):
    t = type(v)
    if v is None:
        return "None"
    if t is bool or t is int or t is float or t is complex:
        return "%s %r" % (t.__name__, v)
    if t is str:
        return "str " + hexadecimal(v)
    if t is bytes:
        return "bytes " + v.hex()
    if t in (list, tuple):
        return "%s(%s)" % (t.__name__, ";".join(map(shape, v)))
    if t in (set, frozenset):
        return "%s(%s)" % (t.__name__, ";".join(sorted(map(shape, v))))
    if t is dict:
        return "dict(%s)" % ";".join(shape(k) + ":" + shape(x) for k, x in v.items())
    if t is range:
        return "range %d" % len(v)
    if isinstance(v, enum.Enum):
        return "enum %s %s %s" % (t.__name__, v.name, shape(v.value))
    if t is Node:
        return "Node(value=%s;next=%s)" % (shape(v.value), shape(v.next))
    if t is Point:
        return "Point(x=%s;y=%s)" % (shape(v.x), shape(v.y))
    if t is collections.deque:
        if v.maxlen is not None:
            return "deque(%s;maxlen=%s)" % (shape(list(v)), shape(v.maxlen))
        return "deque(%s)" % shape(list(v))
    if t is collections.Counter or t is collections.OrderedDict and not v:
        return "%s(%s)" % (t.__name__, shape(dict(v)) if v else "")
    if t is collections.OrderedDict:
        return "OrderedDict(%s)" % shape(list(v.items()))
    if isinstance(v, BaseException):
        return "%s(%s)" % (t.__name__, ";".join(map(shape, v.args)))
    return "text " + hexadecimal(repr(v))


R = random.Random(7)


def string():
    alphabet = R.choice(["abc", "'\"\\", "\n\t\r\x00\x1b\x7f", "é\xa0\xad€\u200b\u2028", "\U0001f600\U000e0001x", "\ud800\udfffa", "()[]{},:<>=. "])
    return "".join(R.choice(alphabet) for _ in range(R.randrange(6)))


def scalar():
    return R.choice([
        lambda: None, lambda: True, lambda: False, lambda: R.randrange(-10, 1000), lambda: R.randrange(10**40),
        lambda: R.uniform(-1, 1), lambda: 10.0 ** R.randrange(-30, 30), lambda: float("inf"), lambda: -float("inf"),
        lambda: float("nan"), lambda: -0.0, lambda: complex(R.uniform(-9, 9), R.uniform(-9, 9)), lambda: 1j,
        lambda: complex(0, float("inf")), lambda: complex(-0.0, -1), lambda: 1e300 * 1j, string, string, string,
        lambda: bytes(R.randrange(256) for _ in range(R.randrange(5))), lambda: b"it's", lambda: range(R.randrange(9)),
        lambda: range(9, 1, -2), lambda: Color.RED, lambda: Color.TEXT,
    ])()


def value(depth):
    if depth == 0 or R.random() < 0.3:
        return scalar()
    children = [value(depth - 1) for _ in range(R.randrange(4))]
    flat = [scalar() for _ in range(R.randrange(4))]
    return R.choice([
        lambda: children, lambda: tuple(children), lambda: tuple(children), lambda: {k: v for k, v in zip(flat, children)},
        lambda: set(flat), lambda: frozenset(flat), lambda: Point(value(depth - 1), value(depth - 1)),
        lambda: Node(value(depth - 1)), lambda: collections.deque(children), lambda: collections.deque(children, maxlen=5),
        lambda: collections.Counter(flat), lambda: collections.OrderedDict(zip(flat, children)),
        lambda: ValueError(*children), lambda: Color.LIST, lambda: [Color.LIST, Mode.R | Mode.W],
    ])()


fixed = [
    datetime.timedelta(3, 5), decimal.Decimal("1.5"), fractions.Fraction(1, 3), array.array("i", [1, 2]), ..., NotImplemented,
    len, object, type, Node, datetime, [].append, (x for x in ""), lambda: 0, Mode.R | Mode.W, frozenset(), set(), (), [], {},
]
for v in fixed:
    print(json.dumps([repr(v), ""]))
for _ in range(4000):
    v = value(R.randrange(5))
    print(json.dumps([repr(v), shape(v)]))
