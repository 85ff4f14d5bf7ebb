def chunk(items, size):
    if size < 1:
        raise ValueError("size must be at least 1")
    chunks = []
    for start in range(0, len(items), size):
        chunks.append(items[start:start + size])
    return chunks


def safe_chunk(items, size):
    try:
        return chunk(items, size)
    except ValueError as error:
        return str(error)


assert chunk([1, 2, 3, 4, 5], 2) == [[1, 2], [3, 4], [5]]
assert chunk("abcdef", 3) == ['abc', 'def']
assert safe_chunk([1, 2], 0) == 'size must be at least 1'
