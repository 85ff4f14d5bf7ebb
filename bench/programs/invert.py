def invert(table):
    inverted = {}
    for key, value in table.items():
        if value in inverted:
            return None
        inverted[value] = key
    return inverted

def main():
    return invert({'a': 1, 'b': 2, 'c': 3})
