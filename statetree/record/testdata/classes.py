import math
from dataclasses import dataclass


@dataclass
class Point:
    x: int
    y: int = 0

    @property
    def norm(self):
        return math.hypot(self.x, self.y)

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)


class Stack:
    limit = 2

    def __init__(self):
        self.items = []

    def push(self, item):
        if len(self.items) == self.limit:
            raise OverflowError(f"more than {self.limit}")
        self.items.append(item)
        return self


SIZE = 2
point = Point(3) + Point(0, 4)
print(point.norm)
stack = Stack()
for i in range(SIZE):
    stack.push(i)
