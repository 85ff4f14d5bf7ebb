def inner(x):
    return x + 1


def outer(x):
    y = x * 2
    return y


def main():
    a = outer(inner(3))
    b = inner(4)
    return a + b
