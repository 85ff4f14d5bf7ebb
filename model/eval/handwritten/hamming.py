def hamming_distance(left, right):
    if len(left) != len(right):
        raise ValueError("strings differ in length")
    distance = 0
    for i in range(len(left)):
        if left[i] != right[i]:
            distance += 1
    return distance


def distance_or_none(left, right):
    try:
        return hamming_distance(left, right)
    except ValueError:
        return None


assert hamming_distance("karol", "kathy") == 3
assert hamming_distance("", "") == 0
assert distance_or_none("ab", "abc") == None
