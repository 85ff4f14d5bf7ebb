def inner(x):
    return x + 1


def outer(x):
    y = x * 2
    return y


def power(base, n):
    if n == 0:
        return 1
    return base * power(base, n - 1)


def risky(n):
    if n > 1:
        raise ValueError(n)
    return n


def numbers(n):
    for i in range(n):
        yield inner(i)


def settle(amounts):
    total = 0
    for a in amounts:
        try:
            total += risky(a)
        except ValueError:
            total -= 1
    return total


def main():
    a = outer(inner(3))
    b = inner(4)
    c = power(2, 3)
    d = settle([1, 2, 0])
    e = list(numbers(2))
    return a + b, c, d, e
