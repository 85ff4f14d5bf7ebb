def count(n):
    try:
        for i in range(n):
            got = yield i
    finally:
        n = -1


def both(n):
    yield from count(n)
    return "end"


def main():
    total = sum(both(2))
    g = count(3)
    next(g)
    total += g.send("x")
    try:
        g.throw(KeyError("k"))
    except KeyError:
        pass
    h = count(1)
    next(h)
    h.close()
    return total
