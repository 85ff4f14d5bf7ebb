def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def fib_list(count):
    numbers = [0, 1]
    while len(numbers) < count:
        numbers.append(numbers[-1] + numbers[-2])
    return numbers[:count]


assert fib(4) == 3
assert fib(1) == 1
assert fib_list(6) == [0, 1, 1, 2, 3, 5]
