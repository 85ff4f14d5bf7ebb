def main():
    n = 0
    for i in range(3):
        if i == 1:
            continue
        n += i
    else:
        n += 10
    while True:
        n -= 5
        if n < 5:
            break
    del i
    return n
