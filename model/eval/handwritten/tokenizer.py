def tokenize(expression):
    tokens = []
    i = 0
    while i < len(expression):
        char = expression[i]
        if char.isdigit():
            start = i
            while i < len(expression) and expression[i].isdigit():
                i += 1
            tokens.append(int(expression[start:i]))
            continue
        if char in "+-*/()":
            tokens.append(char)
        i += 1
    return tokens


assert tokenize("12+3") == [12, '+', 3]
assert tokenize("(7)") == ['(', 7, ')']
assert tokenize(" ") == []
