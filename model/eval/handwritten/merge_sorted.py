def merge(left, right):
    result = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            result.append(left[i])
            i += 1
        else:
            result.append(right[j])
            j += 1
    result.extend(left[i:])
    result.extend(right[j:])
    return result


assert merge([1, 4], [2, 3, 5]) == [1, 2, 3, 4, 5]
assert merge([], [1]) == [1]
assert merge([6, 7], [5]) == [5, 6, 7]
