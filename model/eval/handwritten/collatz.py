def collatz_steps(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


assert collatz_steps(6) == 8
assert collatz_steps(1) == 0
assert collatz_steps(5) == 5
