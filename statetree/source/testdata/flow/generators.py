# entries: consume(3); manual(); delegated(); early(); lazy(); thrown(); expression(); unstarted()
def numbers(n):
    for i in range(n):
        yield i
    return n


def consume(n):
    total = 0
    for x in numbers(n):
        total += x
    a, b = numbers(2)
    return total + sum(numbers(n)), list(numbers(2)), [y for y in numbers(2)]


def echo():
    received = None
    while True:
        received = yield received
        if received == "stop":
            return


def manual():
    e = echo()
    next(e)
    e.send(1)
    try:
        e.send("stop")
    except StopIteration:
        pass
    return next(numbers(1)), next(numbers(0), None)


def outer():
    result = yield from numbers(2)
    yield result
    yield from (
        x
        for x in [7]
    )


def delegated():
    return list(outer())


def early():
    for x in numbers(10):
        if x == 2:
            break
    g = numbers(3)
    next(g)
    g.close()
    return x


def helper(x):
    return x + 1


def lazy():
    g = (helper(x) for x in range(3))
    first = next(g)
    rest = list(g)
    return first, rest


def guarded():
    try:
        yield 1
        yield 2
    except ValueError:
        yield 3
    finally:
        done = True


def thrown():
    g = guarded()
    next(g)
    a = g.throw(ValueError)
    b = next(g, None)
    return a, b


def expression():
    def inner():
        x = (yield 1) + (
            yield 2)
        return x
    g = inner()
    return [next(g), g.send(1)]


def identity(f):
    return f


@identity
def marked():
    yield 1


def unstarted():
    g = marked()
    g = numbers(2)
    g = None
    return g
