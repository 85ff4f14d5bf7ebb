def clamp(value, low, high):
    if low > high:
        low, high = high, low
    return max(low, min(value, high))


def clamp_all(values, low, high):
    return [clamp(value, low, high) for value in values]


assert clamp(15, 0, 10) == 10
assert clamp(-2, 5, 0) == 0
assert clamp_all([1, 7, 4], 2, 5) == [2, 5, 4]
