def running_total(values):
    totals = []
    current = 0
    for value in values:
        current += value
        totals.append(current)
    return totals


def average_of_totals(values):
    totals = running_total(values)
    if len(totals) == 0:
        return 0
    return sum(totals) // len(totals)


assert running_total([1, 2, 3]) == [1, 3, 6]
assert running_total([-1, 1]) == [-1, 0]
assert average_of_totals([2, 2]) == 3
