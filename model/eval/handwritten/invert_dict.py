def invert(mapping):
    inverted = {}
    for key, value in mapping.items():
        if value in inverted:
            inverted[value].append(key)
        else:
            inverted[value] = [key]
    return inverted


assert invert({"a": 1, "b": 2, "c": 1}) == {1: ['a', 'c'], 2: ['b']}
assert invert({}) == {}
