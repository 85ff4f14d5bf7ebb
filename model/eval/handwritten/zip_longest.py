def interleave(a, b, fill=None):
    result = []
    for i in range(max(len(a), len(b))):
        result.append(a[i] if i < len(a) else fill)
        result.append(b[i] if i < len(b) else fill)
    return result


assert interleave([1, 2], [3]) == [1, 3, 2, None]
assert interleave("ab", "xy") == ['a', 'x', 'b', 'y']
assert interleave([], [1], 0) == [0, 1]
