def half(n):
    return n // 2


def main():
    n = 5
    while (m := half(n)) > 0:
        n = m
    if (k := n + 1) and (j := half(k)):
        n = k + j
    return n
