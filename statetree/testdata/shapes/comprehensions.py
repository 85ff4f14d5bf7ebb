def f(x):
    return x + 1


def main():
    a = [f(x) for x in range(2) if x]
    b = {x: f(y) for x, y in enumerate(a)}
    c = {y for x in a for y in (x, x)}
    return sum(f(x) for x in a), b, c
