def add(total, x):
    return total + x

def running_total(xs):
    total = 0
    out = []
    for x in xs:
        total = add(total, x)
        out.append(total)
    return out

def main():
    return running_total([3, 1, 4])
