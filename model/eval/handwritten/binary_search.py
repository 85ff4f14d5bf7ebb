def binary_search(items, target):
    low, high = 0, len(items) - 1
    while low <= high:
        mid = (low + high) // 2
        if items[mid] == target:
            return mid
        if items[mid] < target:
            low = mid + 1
        else:
            high = mid - 1
    return -1


assert binary_search([1, 4, 9, 16, 25], 16) == 3
assert binary_search([2, 3, 5, 7], 4) == -1
assert binary_search([], 1) == -1
