import string


def missing_letters(text):
    text = text.lower()
    return "".join(c for c in string.ascii_lowercase if c not in text)


def is_pangram(text):
    return missing_letters(text) == ""


assert missing_letters("pack my box with dozen liquor jugs") == 'fv'
assert is_pangram("abc") == False
assert is_pangram("sphinx of black quartz judge my vow") == True
