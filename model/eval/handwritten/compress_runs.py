def compress(text):
    if not text:
        return ""
    parts = []
    current, count = text[0], 1
    for char in text[1:]:
        if char == current:
            count += 1
        else:
            parts.append(current + str(count))
            current, count = char, 1
    parts.append(current + str(count))
    return "".join(parts)


assert compress("aaabcc") == 'a3b1c2'
assert compress("zz") == 'z2'
assert compress("") == ''
