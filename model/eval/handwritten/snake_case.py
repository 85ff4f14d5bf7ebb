def to_snake(name):
    result = ""
    for i, char in enumerate(name):
        if char.isupper():
            if i > 0:
                result += "_"
            char = char.lower()
        result += char
    return result


def to_camel(name):
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


assert to_snake("userName") == 'user_name'
assert to_snake("ID") == 'i_d'
assert to_camel("max_line_len") == 'maxLineLen'
