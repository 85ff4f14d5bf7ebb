def digits_of(number, base=10):
    if number < 0:
        number = -number
    digits = []
    while True:
        number, digit = divmod(number, base)
        digits.insert(0, digit)
        if number == 0:
            return digits


assert digits_of(507) == [5, 0, 7]
assert digits_of(-12) == [1, 2]
assert digits_of(6, 2) == [1, 1, 0]
