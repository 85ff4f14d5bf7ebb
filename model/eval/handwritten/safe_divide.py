def divide(a, b):
    try:
        result = a / b
    except ZeroDivisionError:
        return "undefined"
    except TypeError:
        return "not numbers"
    else:
        return result


assert divide(9, 3) == 3.0
assert divide(1, 0) == 'undefined'
assert divide("a", 2) == 'not numbers'
