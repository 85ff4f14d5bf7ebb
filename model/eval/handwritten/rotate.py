def rotate(items, k):
    if not items:
        return items
    k = k % len(items)
    return items[-k:] + items[:-k] if k else items


def rotations(items):
    return [rotate(items, k) for k in range(len(items))]


assert rotate([1, 2, 3, 4], 1) == [4, 1, 2, 3]
assert rotate("hello", -2) == 'llohe'
assert rotations("abc") == ['abc', 'cab', 'bca']
