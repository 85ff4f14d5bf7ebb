"""What the recorder is measured with: calls, loops, values of the common kinds."""

import sys


class Account:
    def __init__(self, owner):
        self.owner = owner
        self.balance = 0

    def __repr__(self):
        return f"Account({self.owner!r}, {self.balance})"

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError(amount)
        self.balance += amount
        return self.balance


def digits(number):
    total = 0
    while number:
        number, digit = divmod(number, 10)
        total += digit
    return total


def words(text):
    counts = {}
    for word in text.split():
        key = word.lower().strip(".,")
        counts[key] = counts.get(key, 0) + 1
    return counts


def sort(values):
    for i in range(1, len(values)):
        j = i
        while j and values[j - 1] > values[j]:
            values[j - 1], values[j] = values[j], values[j - 1]
            j -= 1
    return values


def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


def transfer(account, amounts):
    refused = []
    for amount in amounts:
        try:
            account.deposit(amount)
        except ValueError as error:
            refused.append(error.args[0])
    return refused


def round_of(seed):
    values = [(seed * 31 + k * 17) % 101 for k in range(12)]
    ordered = sort(list(values))
    counts = words("The cat and the dog, the bird and the cat. A dog saw a bird.")
    refused = transfer(Account("ann"), [5, -1, 7, 0, 12])
    return digits(seed * 7919), ordered[0], counts["the"], refused, fibonacci(7)


def main(rounds):
    last = None
    for seed in range(rounds):
        last = round_of(seed)
    return last


main(int(sys.argv[1]))
