def initials(name):
    letters = ''
    for word in name.split(' '):
        if word:
            letters += word[0].upper()
    return letters

def main():
    return initials('ada  king lovelace')
