def translate(word):
    if word[0] in "aeiou":
        return word + "way"
    for i, letter in enumerate(word):
        if letter in "aeiou":
            return word[i:] + word[:i] + "ay"
    return word + "ay"


def pig_latin(sentence):
    return " ".join(translate(word) for word in sentence.split())


assert translate("apple") == 'appleway'
assert translate("string") == 'ingstray'
assert pig_latin("big fly") == 'igbay flyay'
