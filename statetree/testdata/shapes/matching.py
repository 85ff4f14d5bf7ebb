def kind(value):
    match value:
        case 0 | 1:
            return "small"
        case [x, *rest] if x > 1:
            return x
        case {"k": v}:
            return v
        case str():
            return "text"
        case _:
            return None


def main():
    return [kind(1), kind([2, 3]), kind({"k": 4}), kind("a"), kind([0])]
