def apply(operator, left, right):
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    raise ValueError(operator)


def evaluate(expression):
    stack = []
    for token in expression.split():
        if token.lstrip("-").isdigit():
            stack.append(int(token))
        else:
            right = stack.pop()
            left = stack.pop()
            stack.append(apply(token, left, right))
    return stack[0]


assert evaluate("3 4 +") == 7
assert evaluate("2 3 * 4 -") == 2
assert apply("*", 6, -2) == -12
