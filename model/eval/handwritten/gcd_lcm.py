def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def lcm(a, b):
    return a * b // gcd(a, b)


assert gcd(48, 18) == 6
assert gcd(7, 0) == 7
assert lcm(4, 6) == 12
