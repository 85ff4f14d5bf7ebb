def f(n): n += 1; return n


def main():
    a = f(1); b = f(a); a = 0
    if a: b = 1; c = 2
    for i in range(2): b += i; a = f(i)
    return a, b
