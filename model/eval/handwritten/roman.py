VALUES = [(10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]


def to_roman(number):
    if not 0 < number < 40:
        raise ValueError("out of range")
    result = ""
    for value, symbol in VALUES:
        while number >= value:
            result += symbol
            number -= value
    return result


def roman_or_dash(number):
    try:
        return to_roman(number)
    except ValueError:
        return "-"


assert to_roman(14) == 'XIV'
assert roman_or_dash(9) == 'IX'
assert roman_or_dash(0) == '-'
