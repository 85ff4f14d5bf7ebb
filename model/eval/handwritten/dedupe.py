def remove_duplicates(items):
    seen = set()
    result = []
    for item in items:
        if item not in seen:
            seen.add(item)
            result.append(item)
    return result


assert remove_duplicates([1, 2, 1, 3, 2]) == [1, 2, 3]
assert remove_duplicates([7, 7, 7]) == [7]
assert remove_duplicates([]) == []
