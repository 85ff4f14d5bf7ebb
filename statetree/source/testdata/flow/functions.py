# entries: fact(4); fib(4); use_lambda([3, 1, 2]); closure(); Stack([1]).push(2).total(); decorated(2); recursion(); operators(); dispatch("b"); defaults(); shapes(); folded(3); compose(2); keyed()
import functools


def fact(n):
    return 1 if n < 2 else n * fact(n - 1)


def fib(n):
    if n < 2: return n
    return fib(n - 1) + fib(n - 2)


def use_lambda(xs):
    double = lambda x: x * 2
    ys = sorted(xs, key=lambda x: -x)
    return list(map(double, ys)), double(
        3)


def closure():
    count = 0

    def bump(by=1):
        nonlocal count
        count += by
        return count

    def never():
        return bump()
    bump()
    return bump(by=2)


class Stack:
    size = 0

    def __init__(self, items):
        self.items = list(items)

    @property
    def top(self):
        return self.items[-1]

    def push(self, x):
        self.items.append(x)
        return self

    def total(self):
        self.top
        return sum(self.items) + len(self) + self.top

    def __len__(self):
        return len(self.items)

    @classmethod
    def make(cls, *items):
        return cls(items)

    @staticmethod
    def helper(x):
        return x


def trace(f):
    @functools.wraps(f)
    def wrapper(*args):
        result = f(*args)
        return result
    return wrapper


@trace
def decorated(n):
    return n + 1


def depth(n):
    return depth(n + 1)


def recursion():
    try:
        return decorated(depth(0) if False else 1)
    except RecursionError:
        return -1


class Vector:
    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        return Vector(self.x + other.x)

    def __eq__(self, other):
        return self.x == other.x

    def __repr__(self):
        return f"Vector({self.x})"

    def __call__(self, y):
        return self.x + y


def operators():
    a = Vector(1) + Vector(2)
    if a == Vector(3):
        text = f"{a} and {a!r:>10}"
    b = sum([Vector(1), Vector(2)], Vector(0))
    return a(3), str(b), Stack.make(1, 2).total(), Stack.helper(1)


def first():
    return 1


def second():
    return 2


HANDLERS = {"a": first, "b": second}


def dispatch(name):
    handler = HANDLERS[name]
    return handler() + HANDLERS["a"]()


def defaults(a=first(), *, b=second()):
    def inner(x=first(),
              y=2):
        class Local:
            value = first()

            def get(self):
                return self.value
        return Local().get() + x
    return inner()


class Shape:
    def __init__(self, name):
        self.name = name

    def area(self):
        raise NotImplementedError


class Square(Shape):
    def __init__(self, side):
        super().__init__("square")
        self.side = side

    def area(self):
        return self.side ** 2


class Unit(Square):
    pass


def shapes():
    return [s.area() for s in (Square(2), Square(3))] + [Unit(1).area()]


def folded(n):
    a = [fact(i) for i in range(n)]
    b = sum(fact(i) for i in range(n))
    c = {i: fact(
        i) for i in range(n)}
    d = all(
        fact(i)
        for i in range(n)
    )
    return a, b, c, d


def twice(f):
    return lambda x: f(f(x))


def compose(n):
    g = twice(fact)
    return g(n)


def size(x):
    return len(x)


def keyed():
    words = ["bb", "a"]
    words.sort(key=size)
    return max(words, key=size), min(words, default=first())
