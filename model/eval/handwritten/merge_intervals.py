def merge_intervals(intervals):
    merged = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


assert merge_intervals([(1, 3), (2, 5), (7, 8)]) == [[1, 5], [7, 8]]
assert merge_intervals([(4, 6), (0, 9)]) == [[0, 9]]
assert merge_intervals([]) == []
