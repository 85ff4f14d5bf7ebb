# entries: run(1); run([1, 2]); run([1, 2, 3, 4]); run({"k": 5}); run("text"); run(None); run(P(1, 2)); run((9, [8, 7])); only(3); only(4); with_guard(5); with_guard(-5); either("a"); either(["x", 1])
class P:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y


def run(value):
    match value:
        case 1:
            result = "one"
        case [a, b]:
            result = a
        case [first, *rest]:
            result = rest
        case {"k": v, **others}:
            result = v
        case P(x=0) | P(x=3):
            result = "zero"
        case P(
            x,
            y=2
        ):
            result = x
        case str() as s if len(s) > 3:
            result = s
        case None:
            return
        case _:
            result = "other"
    return result


def only(value):
    match value:
        case 3:
            return True


def with_guard(n):
    match n, -n:
        case x, y if x > y:
            return x
        case (x, y) if x == 0:
            pass
        case (x, _):
            return -x


def either(v):
    match v:
        case "a" | "b":
            return 1
        case ["x", (int() | float()) as n]:
            return n
    return 0
