UNITS = {"h": 3600, "m": 60, "s": 1}


def parse_duration(text):
    total = 0
    number = ""
    for char in text:
        if char.isdigit():
            number += char
        elif char in UNITS and number:
            total += int(number) * UNITS[char]
            number = ""
        else:
            raise ValueError(f"unexpected {char!r}")
    return total


def seconds(text):
    try:
        return parse_duration(text)
    except ValueError as error:
        return str(error)


assert parse_duration("1h5m") == 3900
assert seconds("90s") == 90
assert seconds("2x") == "unexpected 'x'"
