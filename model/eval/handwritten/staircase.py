def ways_to_climb(steps):
    if steps < 0:
        return 0
    if steps == 0:
        return 1
    return ways_to_climb(steps - 1) + ways_to_climb(steps - 2)


def first_numbers(count):
    numbers = [0, 1]
    while len(numbers) < count:
        numbers.append(numbers[-1] + numbers[-2])
    return numbers[:count]


assert ways_to_climb(3) == 3
assert ways_to_climb(0) == 1
assert first_numbers(6) == [0, 1, 1, 2, 3, 5]
