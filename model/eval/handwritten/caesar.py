def shift_letter(letter, key):
    if not letter.isalpha():
        return letter
    base = ord('A') if letter.isupper() else ord('a')
    return chr((ord(letter) - base + key) % 26 + base)


def caesar(text, key):
    result = ""
    for letter in text:
        result += shift_letter(letter, key)
    return result


assert caesar("abc", 1) == 'bcd'
assert caesar("Xyz!", 3) == 'Abc!'
assert shift_letter("m", -12) == 'a'
