def letter_counts(word):
    counts = {}
    for letter in word.lower():
        if letter.isalpha():
            counts[letter] = counts.get(letter, 0) + 1
    return counts


def are_anagrams(a, b):
    return letter_counts(a) == letter_counts(b)


assert are_anagrams("Elbow", "below") == True
assert are_anagrams("arc", "bar") == False
assert letter_counts("noon") == {'n': 2, 'o': 2}
