def main():
    add = lambda a: lambda b: a + b
    key = sorted([2, 1], key=lambda n: -n)
    return add(1)(2), key, (lambda: 5)()
