def split_even_odd(numbers):
    even = []
    odd = []
    for number in numbers:
        target = even if number % 2 == 0 else odd
        target.append(number)
    return even, odd


assert split_even_odd([1, 2, 3, 4]) == ([2, 4], [1, 3])
assert split_even_odd([9]) == ([], [9])
assert split_even_odd([]) == ([], [])
