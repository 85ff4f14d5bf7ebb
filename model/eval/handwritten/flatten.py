def flatten(items):
    flat = []
    for item in items:
        if isinstance(item, list):
            flat.extend(flatten(item))
        else:
            flat.append(item)
    return flat


assert flatten([1, [2, 3]]) == [1, 2, 3]
assert flatten([[], [[4]]]) == [4]
assert flatten([]) == []
