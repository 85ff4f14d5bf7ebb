class Account:
    owner = None
    balance = 0

    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = balance

    def __repr__(self):
        return f"Account({self.owner!r}, {self.balance})"

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError(amount)
        self.balance += amount
        return self.balance


def total(accounts):
    result = 0
    for account in accounts:
        result += account.balance
    return result


def settle(account, amounts):
    rejected = []
    for amount in amounts:
        if amount > 0:
            account.deposit(amount)
        else:
            rejected.append(amount)
    return {"account": account, "rejected": tuple(rejected)}


def main():
    ada = Account("Ada")
    bob = Account("Bob", 5)
    report = settle(ada, [10, -3, 2])
    report["names"] = {a.owner: len(a.owner) for a in (ada, bob)}
    return total([ada, bob]), report
