def max_product(numbers):
    best = None
    for i in range(len(numbers)):
        for j in range(i + 1, len(numbers)):
            product = numbers[i] * numbers[j]
            if best is None or product > best:
                best = product
    return best


assert max_product([2, -5, 3]) == 6
assert max_product([-4, -6, 1]) == 24
assert max_product([8]) == None
