def parse_pairs(text):
    result = {}
    for part in text.split(";"):
        if "=" not in part:
            continue
        key, value = part.split("=", 1)
        value = value.strip()
        if value.isdigit():
            value = int(value)
        result[key.strip()] = value
    return result


assert parse_pairs("a=1; b = two") == {'a': 1, 'b': 'two'}
assert parse_pairs("x;y=3") == {'y': 3}
assert parse_pairs("") == {}
