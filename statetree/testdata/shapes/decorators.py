def twice(function):
    def wrapper(*arguments):
        return 2 * function(*arguments)
    return wrapper


def named(name):
    return lambda function: function


def main():
    @named("g")
    @twice
    def f(n):
        return n + 1
    return f(3)
