# entries: caught(0); caught(2); uncaught(); deep(); cleanup(1); cleanup(0); reraised(); groups(); suppressed(); iterate(); finals(3); nested_try()
import contextlib


def divide(a, b):
    return a / b


def caught(n):
    try:
        x = divide(1, n)
    except ZeroDivisionError as error:
        x = str(error)
    except (TypeError, ValueError):
        x = 1
    else:
        x += 1
    finally:
        x = [x]
    return x


def uncaught():
    values = {}
    return values["missing"]


def middle():
    uncaught()


def deep():
    try:
        middle()
    except KeyError:
        pass


def cleanup(n):
    try:
        if n:
            return divide(n, n)
        return n
    finally:
        n = 3


def reraised():
    try:
        try:
            divide(1, 0)
        except ZeroDivisionError as e:
            raise ValueError("x") from e
        finally:
            pass
    except ValueError:
        return "ok"


def groups():
    try:
        raise ExceptionGroup("g", [ValueError(1), KeyError(2)])
    except* ValueError as e:
        a = e
    except* KeyError:
        b = 2
    return b


class Quiet:
    def __enter__(self):
        return self

    def __exit__(self, *args):
        return True


def suppressed():
    with Quiet() as q, contextlib.suppress(KeyError):
        {}[1]
    with Quiet():
        divide(
            1,
            0,
        )
    with Quiet(): return 5


class Three:
    def __init__(self):
        self.n = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.n += 1
        if self.n > 3:
            raise StopIteration
        return self.n


def iterate():
    total = 0
    for i in Three():
        total += i
    a, b, c = Three()
    total += sum(Three())
    return [x for x in Three()], total


def finals(n):
    out = []
    for i in range(n):
        try:
            if i == 1:
                continue
            if i == 2:
                break
            out.append(i)
        finally:
            out.append(-1)
    while True:
        try:
            out.pop()
        except IndexError:
            break
    return out


def nested_try():
    for attempt in range(3):
        try:
            try:
                if attempt == 0:
                    raise KeyError(attempt)
                elif attempt == 1:
                    raise IndexError
            finally:
                attempt += 1
        except KeyError:
            continue
        except LookupError:
            pass
        else:
            return attempt
