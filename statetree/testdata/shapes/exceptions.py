def deep(n):
    try:
        return 1 // n
    finally:
        n += 1


def middle(n):
    deep(n)
    return "not reached"


def again(n):
    try:
        middle(n)
    except ZeroDivisionError as e:
        raise ValueError("again") from e
    else:
        return "fine"


def main():
    try:
        again(0)
    except (KeyError, ValueError) as e:
        caught = type(e).__name__
    return caught, again.__name__
