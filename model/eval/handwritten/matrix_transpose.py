def transpose(matrix):
    rows, cols = len(matrix), len(matrix[0])
    result = []
    for c in range(cols):
        row = []
        for r in range(rows):
            row.append(matrix[r][c])
        result.append(row)
    return result


assert transpose([[1, 2], [3, 4]]) == [[1, 3], [2, 4]]
assert transpose([[5, 6, 7]]) == [[5], [6], [7]]
