def f(d):
    try:
        return d["k"]
    except KeyError:
        d["k"] = 0
        raise


def main():
    d = {}
    try:
        f(d)
    except KeyError:
        return f(d)
