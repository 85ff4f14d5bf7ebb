def histogram(values):
    counts = {}
    for value in values:
        if value in counts:
            counts[value] += 1
        else:
            counts[value] = 1
    lines = []
    for value in sorted(counts):
        lines.append(f"{value}: {'*' * counts[value]}")
    return lines


assert histogram([2, 1, 2]) == ['1: *', '2: **']
assert histogram([]) == []
