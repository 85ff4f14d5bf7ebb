def problems(password):
    found = []
    if len(password) < 8:
        found.append("short")
    if not any(c.isdigit() for c in password):
        found.append("no digit")
    if password.lower() == password:
        found.append("no capital")
    return found


def is_valid(password):
    return len(problems(password)) == 0


assert problems("abc") == ['short', 'no digit', 'no capital']
assert is_valid("Secret123") == True
assert problems("lower2case") == ['no capital']
