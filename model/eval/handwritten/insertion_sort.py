def insert_sorted(items, value):
    position = 0
    while position < len(items) and items[position] < value:
        position += 1
    items.insert(position, value)


def insertion_sort(values):
    result = []
    for value in values:
        insert_sorted(result, value)
    return result


assert insertion_sort([3, 1, 2]) == [1, 2, 3]
assert insertion_sort([4, 4]) == [4, 4]
assert insertion_sort([]) == []
