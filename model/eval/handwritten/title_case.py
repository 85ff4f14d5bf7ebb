SMALL = ("a", "an", "of", "the")


def title_case(text):
    words = []
    for i, word in enumerate(text.lower().split()):
        if i > 0 and word in SMALL:
            words.append(word)
        else:
            words.append(word.capitalize())
    return " ".join(words)


assert title_case("the lord of rings") == 'The Lord of Rings'
assert title_case("A CAT") == 'A Cat'
assert title_case("") == ''
