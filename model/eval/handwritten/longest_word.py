def longest_word(sentence):
    best = ""
    for word in sentence.split():
        word = word.strip(".,!?")
        if len(word) > len(best):
            best = word
    return best


assert longest_word("The quick brown fox.") == 'quick'
assert longest_word("Go on!") == 'Go'
assert longest_word("") == ''
