# entries: returns(1); returns(0); suppressed(); oneline(3); semicolons(2); multiline(3); loops(4); names(3); names(0); conditional(True); conditional(False); shadowed(); helper_twice(2); helper_args(); quits(0); quits(1); reflective(); listed(); nested(3); raising_helper(); swallowed(); caught_there(3); starred(); swap(2); chained(5); deep(3); generator_names(); walrus([3, 4]); unbound(); stop_iteration(); hasattr_swallows(); mutual(4); in_class(); lambdas(2); early(5); matched([1, 2, 3]); matched({"k": 4}); matched(9); finally_swallows()
import contextlib
import sys


def helper(x):
    if x > 2:
        raise ValueError(x)
    return x + 1


def returns(x):
    try:
        y = helper(x) // x
        return y
    except ZeroDivisionError:
        return -1
    finally:
        z = 3
        helper(z - 2)


def suppressed():
    with contextlib.suppress(ValueError): helper(5)
    with contextlib.suppress(ValueError):
        a = helper(1)
        b = helper(9)
    c = 1
    return a, c


def oneline(n):
    if n > 2: a = 1; b = helper(a)
    else: b = 0
    while n: n -= 1
    for i in range(2): helper(i); j = i
    return b, j


def semicolons(n):
    a = helper(n); b = helper(a - 2); del a
    c = b; d = c
    return d


def multiline(n):
    total = (
        helper(0)
        + helper(
            1
        )
    )
    first, (
        second,
        third,
    ) = helper(
        0
    ), (
        n,
        total,
    )
    return [
        helper(0),
        first,
        second, third,
    ]


def loops(n):
    while n > 0:
        n -= 1
        if n == 7:
            break
        for k in range(n):
            if k == 2:
                continue
            last = helper(k - 2)
        else:
            tail = n
    else:
        done = True
    for w in "ab":
        if w == "b":
            found = w
            break
    return n


def names(n):
    if n:
        late = n
        for i in range(n):
            got = i
    other = 1
    try:
        bound = 10 // n
    except ZeroDivisionError as error:
        text = str(error)
    final = other
    return final


def conditional(flag):
    if flag:
        def inner():
            return 1
    else:
        def inner():
            return 2
    return inner() + inner()


def calls_helper():
    return helper(0)


def shadowed():
    n = calls_helper()
    helper = len
    return helper("ab") + by_parameter(len) + n


def by_parameter(helper):
    return helper([calls_helper()])


def helper_twice(n):
    return helper(n - 2) + helper(n - 1)


def helper_args():
    return helper(helper(0), ) + max(helper(0), helper(1))


def quits(code):
    helper(0)
    sys.exit(code)


def reflective():
    x = 1
    exec("y = 2")
    globals()["helper_of_reflection"] = helper
    helper_of_reflection(x)
    z = locals()["y"]
    return z


def listed():
    return [helper(i) for i in range(2)] + sorted([2, 1], key=lambda v: helper(-v))


def nested(n):
    def down(k):
        nonlocal seen
        if k == 0:
            return 0
        seen = k
        return down(k - 1) + 1
    seen = None
    r = down(n)
    return r, seen


def raising_helper():
    try:
        helper(1) + helper(3) + helper(2)
    except ValueError as e:
        kept = e.args
    return kept


def swallowed():
    class Lazy:
        def __getattr__(self, name):
            raise AttributeError(name)

        def __bool__(self):
            return helper(0) > 5
    lazy = Lazy()
    a = getattr(lazy, "x", 3)
    if lazy:
        a = 1
    return a


def caught_there(n):
    def risky(k):
        try:
            return helper(k)
        except ValueError:
            return None
    out = []
    for i in range(n + 1):
        out.append(risky(i))
    return out


def starred():
    first, *rest = helper(0), helper(1), 3
    a = b = helper(0)
    a += b
    (c) = a
    [d, e] = c, b
    d: int = 4
    return first, rest, e


def swap(n):
    a, b = n, helper(0)
    a, b = b, a
    return a if helper(a - 2) else b


def chained(n):
    return 0 < helper(0) < n and helper(1) or helper(0)


def deep(n):
    if n == 0:
        return helper(3)
    try:
        return deep(n - 1)
    finally:
        helper(0)


def generator_names():
    def steps(k):
        a = k
        got = yield a
        b = a
        yield b
        del a
        yield got
    g = steps(2)
    next(g)
    g.send(5)
    x = list(g)
    return x


def walrus(xs):
    if (n := len(xs)) > 1 and (m := helper(0)):
        return n + m
    return [y for x in xs if (y := x)]


def unbound():
    try:
        print(later)
    except UnboundLocalError:
        later = 1
    return later


def stop_iteration():
    class Three:
        def __init__(self):
            self.n = 0

        def __iter__(self):
            return self

        def __next__(self):
            self.n += 1
            if self.n > 3:
                raise StopIteration
            return helper(0)
    total = 0
    for v in Three():
        total += v
    return total, list(Three())


def hasattr_swallows():
    class Odd:
        @property
        def p(self):
            raise AttributeError("p")
    odd = Odd()
    return hasattr(odd, "p"), helper(0)


def mutual(n):
    return even(n)


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    if n == 0:
        return False
    return even(n - 1)


def in_class():
    class Counter:
        step = helper(0)
        twice = step * 2
        del step

        def bump(self):
            self.n = helper(0)
            return self.n
    return Counter().bump() + Counter.twice


def lambdas(n):
    f = lambda a, b=n: helper(a) + (
        helper(b - 2))
    g = lambda: f(0)
    return g() + f(1)


def early(n):
    for i in range(n):
        if i == 3:
            return i
        value = helper(0)
    return None


def matched(command):
    match command:
        case [a, *rest] if helper(a):
            r = a
        case {"k": v, **other}:
            r = v
        case _:
            r = None
    return r


def finally_swallows():
    for i in range(2):
        try:
            helper(i + 2)
        finally:
            continue
    return i
