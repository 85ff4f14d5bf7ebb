def first_repeated(text):
    seen = []
    for char in text:
        if char in seen:
            return char
        seen.append(char)
    return None


assert first_repeated("banana") == 'a'
assert first_repeated("world") == None
assert first_repeated("xx") == 'x'
