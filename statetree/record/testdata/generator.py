def squares(n):
    for i in range(n):
        received = yield i * i
        if received:
            return "stopped"


def main():
    total = 0
    for s in squares(3):
        total += s
    g = squares(5)
    next(g)
    try:
        g.send("stop")
    except StopIteration as end:
        return total, end.value
