def power(base, exponent):
    if exponent == 0:
        return 1
    half = power(base, exponent // 2)
    if exponent % 2 == 0:
        return half * half
    return half * half * base


assert power(2, 5) == 32
assert power(3, 4) == 81
assert power(9, 0) == 1
