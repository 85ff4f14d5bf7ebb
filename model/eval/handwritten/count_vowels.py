def count_vowels(sentence):
    """Return the number of vowels in the sentence."""
    count = 0
    for ch in sentence:
        if ch.lower() in "aeiou":
            count += 1
    return count


assert count_vowels("Hello") == 2
assert count_vowels("sky") == 0
assert count_vowels("AEon") == 3
