def f(n):
    try:
        raise KeyError(n)
    except ValueError:
        return 1
    finally:
        n = 0


def main():
    return f(1)
