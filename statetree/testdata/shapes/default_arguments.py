def three():
    return 3


def main():
    def f(a, b=three(), *rest, c=three(), **more):
        return a + b + c
    return f(1) + f(1, 2, 5, c=4, d=6)
