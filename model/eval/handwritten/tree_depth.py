def depth(tree):
    if tree is None:
        return 0
    left, _, right = tree
    return 1 + max(depth(left), depth(right))


def tree_sum(tree):
    if tree is None:
        return 0
    left, value, right = tree
    return tree_sum(left) + value + tree_sum(right)


assert depth((None, 1, None)) == 1
assert depth(((None, 2, None), 1, None)) == 2
assert tree_sum((None, 4, (None, 3, None))) == 7
