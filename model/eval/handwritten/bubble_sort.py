def bubble_sort(values):
    values = list(values)
    n = len(values)
    for end in range(n - 1, 0, -1):
        swapped = False
        for i in range(end):
            if values[i] > values[i + 1]:
                values[i], values[i + 1] = values[i + 1], values[i]
                swapped = True
        if not swapped:
            break
    return values


assert bubble_sort([3, 1, 2]) == [1, 2, 3]
assert bubble_sort([5, 4]) == [4, 5]
assert bubble_sort((1, 2, 3)) == [1, 2, 3]
