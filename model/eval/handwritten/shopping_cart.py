PRICES = {"apple": 30, "bread": 250, "milk": 120}


def cart_total(cart, discount=0):
    total = 0
    unknown = []
    for item, quantity in cart.items():
        price = PRICES.get(item)
        if price is None:
            unknown.append(item)
            continue
        total += price * quantity
    total -= total * discount // 100
    return total, unknown


assert cart_total({"apple": 4, "milk": 1}) == (240, [])
assert cart_total({"bread": 2}, 10) == (450, [])
assert cart_total({"tea": 1}) == (0, ['tea'])
