def next_row(row):
    result = [1]
    for i in range(len(row) - 1):
        result.append(row[i] + row[i + 1])
    result.append(1)
    return result


def pascal(n):
    row = [1]
    for _ in range(n):
        row = next_row(row)
    return row


assert pascal(2) == [1, 2, 1]
assert next_row([1, 3, 3, 1]) == [1, 4, 6, 4, 1]
assert pascal(0) == [1]
