def clean(word):
    return word.strip(".,;:!?").lower()


def word_count(text):
    counts = {}
    for raw in text.split():
        word = clean(raw)
        if word:
            counts[word] = counts.get(word, 0) + 1
    return counts


assert word_count("No, no!") == {'no': 2}
assert word_count("a b a.") == {'a': 2, 'b': 1}
assert clean("End.") == 'end'
