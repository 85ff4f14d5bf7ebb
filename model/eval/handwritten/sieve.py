def sieve(limit):
    flags = [True] * (limit + 1)
    primes = []
    for n in range(2, limit + 1):
        if flags[n]:
            primes.append(n)
            for multiple in range(n * n, limit + 1, n):
                flags[multiple] = False
    return primes


assert sieve(10) == [2, 3, 5, 7]
assert sieve(1) == []
assert sieve(3) == [2, 3]
