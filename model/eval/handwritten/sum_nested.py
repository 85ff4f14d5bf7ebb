def depth_sum(items, depth=1):
    total = 0
    for item in items:
        if isinstance(item, (list, tuple)):
            total += depth_sum(item, depth + 1)
        else:
            total += item * depth
    return total


assert depth_sum([1, [2, 3]]) == 11
assert depth_sum([(4,), 1]) == 9
assert depth_sum([]) == 0
