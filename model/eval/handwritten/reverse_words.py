def reverse_words(sentence):
    words = sentence.split()
    left, right = 0, len(words) - 1
    while left < right:
        words[left], words[right] = words[right], words[left]
        left += 1
        right -= 1
    return " ".join(words)


assert reverse_words("one two three") == 'three two one'
assert reverse_words("hi") == 'hi'
assert reverse_words("  ") == ''
