def mean(values):
    return sum(values) / len(values)


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2 == 1:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def summary(values):
    if not values:
        return None
    return {"mean": mean(values), "median": median(values)}


assert summary([1, 2, 6]) == {'mean': 3.0, 'median': 2}
assert median([4, 1, 3, 2]) == 2.5
assert summary([]) == None
