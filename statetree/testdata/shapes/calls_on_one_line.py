def f(a, b=0):
    return a + b


def main():
    x = f(f(1), f(2)) + f(3)
    return f(x, b=f(x))
