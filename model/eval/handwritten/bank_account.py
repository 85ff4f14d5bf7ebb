class Account:
    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = balance

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("amount must be positive")
        self.balance += amount

    def withdraw(self, amount):
        if amount > self.balance:
            raise ValueError("insufficient funds")
        self.balance -= amount


def final_balance(start, changes):
    account = Account("Ada", start)
    failed = 0
    for change in changes:
        try:
            if change >= 0:
                account.deposit(change)
            else:
                account.withdraw(-change)
        except ValueError:
            failed += 1
    return account.balance, failed


assert final_balance(10, [5, -3]) == (12, 0)
assert final_balance(2, [-5, 1]) == (3, 1)
assert final_balance(0, [0]) == (0, 1)
