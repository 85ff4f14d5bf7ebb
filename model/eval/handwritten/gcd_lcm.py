def common_divisor(first, second):
    smaller = min(first, second)
    for candidate in range(smaller, 0, -1):
        if first % candidate == 0 and second % candidate == 0:
            return candidate
    return max(first, second)


def lcm(first, second):
    return first * second // common_divisor(first, second)


assert common_divisor(12, 8) == 4
assert common_divisor(7, 0) == 7
assert lcm(4, 6) == 12
