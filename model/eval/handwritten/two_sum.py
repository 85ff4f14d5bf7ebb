def two_sum(numbers, target):
    positions = {}
    for index, number in enumerate(numbers):
        other = target - number
        if other in positions:
            return [positions[other], index]
        positions[number] = index
    return []


assert two_sum([2, 7, 11], 9) == [0, 1]
assert two_sum([3, 4, 6], 10) == [1, 2]
assert two_sum([1], 2) == []
