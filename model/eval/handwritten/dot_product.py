def dot(a, b):
    if len(a) != len(b):
        return None
    total = 0
    for x, y in zip(a, b):
        total += x * y
    return total


assert dot([1, 2, 3], [4, 5, 6]) == 32
assert dot([1], [1, 2]) == None
assert dot((2, -1), (3, 6)) == 0
