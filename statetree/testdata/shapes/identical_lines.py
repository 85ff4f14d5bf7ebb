def f(n):
    n += 1
    if n > 1:
        n += 1
    n += 1
    return n


def main():
    return f(0) + f(1)
