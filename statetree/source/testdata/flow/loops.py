# entries: run(3); search([1, 2, 3], 2); search([], 0); nested(3); whiles(5); unpacking()
def run(n):
    total = 0
    for i in range(n):
        if i == 1:
            continue
        elif i > 5:
            break
        total += i
    else:
        total += 100
    return total


def search(items, wanted):
    for item in items:
        if item == wanted:
            found = item
            break
    else:
        return None
    return found


def nested(n):
    pairs = []
    for i in range(n):
        for j in range(n):
            if j > i:
                break
            pairs.append(
                (i,
                 j)
            )
    while pairs:
        pairs.pop()
    pairs = [
        x
        for x in range(n)
        if x
    ]
    return {
        "a": n,
        "b": pairs,
    }


def whiles(n):
    while True:
        n -= 1
        if n == 3:
            continue
        if n < 2: break
    while n < 5 and (
            n != 4):
        n += 1
    else:
        n = -n
    while n < 0: n += 1
    for _ in range(2): pass


def unpacking():
    a, b = 1, 2
    a, b = b, a
    (a,
     *b) = range(4)
    for (a, b), c in [((1, 2), 3)]:
        d = a if b else c
    x = y = [d, a]
    x[0] += 1
    del x[0], a
    assert y, "message"
    return y
