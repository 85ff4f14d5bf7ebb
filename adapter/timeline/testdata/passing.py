def inner(x):
    return x + 1


def outer(x):
    y = inner(x)
    return y


def harmless(n):
    n = n + 1
    return n


# The lines of main call them one in another.
def main():
    a = outer(3)
    b = harmless(a + 1)
    return harmless(outer(b))
