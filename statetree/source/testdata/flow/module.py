# entries: ;
"""A module that runs from its first line."""
import os.path
from collections import (
    namedtuple,
    OrderedDict as Ordered,
)

LIMIT: int = 3
NAMES = [
    "a",
    "b",
]
Point = namedtuple("Point", "x y")


def square(n):
    """Doc."""
    global LIMIT
    LIMIT = n
    return n * n


class Base:
    """Doc."""
    registry = []
    kind: str

    def __init_subclass__(cls):
        Base.registry.append(cls)

    class Inner:
        value = square(2)


@(lambda c: c)
class Derived(Base):
    @property
    def name(self): return "derived"

    def __set_name__(self, owner, name):
        self.owner = owner


for i in range(2):
    square(i)
else:
    del i

if LIMIT > 100:
    print("never")
elif Derived().name == "derived":
    x = (square(1)
         + square(2))
try:
    square("a")
except TypeError:
    pass
with open(os.devnull) as f:
    text = f.read()
if __name__ == "__main__":
    total = sum(square(n) for n in range(3)); y = 1
    lines = f"""{total}
    {square(
        2)}"""
    "%s and %s" % (
        total,
        y)
