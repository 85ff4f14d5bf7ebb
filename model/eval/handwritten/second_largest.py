def second_largest(numbers):
    first = second = None
    for n in numbers:
        if first is None or n > first:
            first, second = n, first
        elif n != first and (second is None or n > second):
            second = n
    return second


assert second_largest([4, 9, 7]) == 7
assert second_largest([3, 3]) == None
assert second_largest([1, 2]) == 1
