def summarize(numbers):
    ranges = []
    start = previous = None
    for number in numbers:
        if previous is not None and number == previous + 1:
            previous = number
            continue
        if start is not None:
            ranges.append((start, previous))
        start = previous = number
    if start is not None:
        ranges.append((start, previous))
    return ranges


assert summarize([1, 2, 3, 7]) == [(1, 3), (7, 7)]
assert summarize([5]) == [(5, 5)]
assert summarize([]) == []
