def double(x):
    y = x
    y = y * 2
    return y


def triple(x):
    y = x
    if y > 100:
        y = y * 2
        return y
    y = y * 2
    return y


def countdown(n):
    while n > 0:
        yield n
        n -= 1


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def main():
    f = lambda v: double(v) + 1
    y = double(3)
    y = triple(y)
    y = double(y)
    for i in countdown(2):
        y += f(i)
    y += fib(3)
    return y
