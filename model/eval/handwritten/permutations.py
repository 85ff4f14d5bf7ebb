def permutations(items):
    if len(items) <= 1:
        return [items]
    result = []
    for i, first in enumerate(items):
        rest = items[:i] + items[i + 1:]
        for tail in permutations(rest):
            result.append([first] + tail)
    return result


assert permutations([1, 2]) == [[1, 2], [2, 1]]
assert permutations(["a"]) == [['a']]
