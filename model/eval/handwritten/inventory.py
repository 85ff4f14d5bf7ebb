class Inventory:
    def __init__(self):
        self.stock = {}

    def add(self, name, amount):
        self.stock[name] = self.stock.get(name, 0) + amount

    def remove(self, name, amount):
        if self.stock.get(name, 0) < amount:
            raise KeyError(name)
        self.stock[name] -= amount
        if self.stock[name] == 0:
            del self.stock[name]


def stock_after(orders):
    inventory = Inventory()
    for name, amount in orders:
        try:
            if amount > 0:
                inventory.add(name, amount)
            else:
                inventory.remove(name, -amount)
        except KeyError as error:
            inventory.stock["missing"] = error.args[0]
    return inventory.stock


assert stock_after([("nut", 4), ("nut", -1)]) == {'nut': 3}
assert stock_after([("cog", 1), ("cog", -1)]) == {}
assert stock_after([("pin", -2)]) == {'missing': 'pin'}
