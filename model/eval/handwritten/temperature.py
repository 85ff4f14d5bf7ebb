def to_celsius(fahrenheit):
    return (fahrenheit - 32) * 5 // 9


def describe(fahrenheit):
    celsius = to_celsius(fahrenheit)
    if celsius < 0:
        label = "freezing"
    elif celsius < 20:
        label = "cool"
    else:
        label = "warm"
    return f"{celsius} ({label})"


assert to_celsius(212) == 100
assert describe(14) == '-10 (freezing)'
assert describe(77) == '25 (warm)'
