def countdown(n):
    while n > 0:
        yield n
        n -= 1


def collect(n):
    seen = []
    for value in countdown(n):
        seen.append(value)
    return seen


assert collect(3) == [3, 2, 1]
assert collect(0) == []
