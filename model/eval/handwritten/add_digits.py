def digit_sum(n):
    total = 0
    while n > 0:
        total += n % 10
        n //= 10
    return total


def add_digits(n):
    while n >= 10:
        n = digit_sum(n)
    return n


assert add_digits(38) == 2
assert add_digits(7) == 7
assert digit_sum(4096) == 19
