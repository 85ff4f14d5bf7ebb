class Swallow:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return kind is ValueError


def main():
    with Swallow() as a, Swallow():
        raise ValueError(1)
    with Swallow():
        a = 2
    return a
