def group_by_length(words):
    groups = {}
    for word in words:
        groups.setdefault(len(word), []).append(word)
    return groups


assert group_by_length(["to", "be", "or", "not"]) == {2: ['to', 'be', 'or'], 3: ['not']}
assert group_by_length([]) == {}
