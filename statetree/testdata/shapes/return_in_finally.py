def f(n):
    try:
        return 1 // n
    finally:
        return "early"


def g():
    for i in (1, 2):
        try:
            continue
        finally:
            break
    return i


def main():
    return f(0), f(1), g()
