PAIRS = {')': '(', ']': '[', '}': '{'}


def is_balanced(text):
    stack = []
    for char in text:
        if char in PAIRS.values():
            stack.append(char)
        elif char in PAIRS:
            if not stack or stack.pop() != PAIRS[char]:
                return False
    return not stack


assert is_balanced("(a[0])") == True
assert is_balanced("([)]") == False
assert is_balanced("{{}") == False
