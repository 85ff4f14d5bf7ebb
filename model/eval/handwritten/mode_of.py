def most_common(items):
    counts = {}
    for item in items:
        counts[item] = counts.get(item, 0) + 1
    best, best_count = None, 0
    for item, count in counts.items():
        if count > best_count:
            best, best_count = item, count
    return best


assert most_common([3, 1, 3]) == 3
assert most_common("abba") == 'a'
assert most_common([]) == None
