class Base:
    made = 0

    def __init__(self, n):
        self.n = n

    def __repr__(self):
        return f"Base({self.n})"


class Child(Base):
    def __init__(self, n):
        super().__init__(n * 2)
        Child.made += 1

    @property
    def size(self):
        return self.n

    @size.setter
    def size(self, value):
        self.n = value

    @classmethod
    def of(cls, n):
        return cls(n)

    @staticmethod
    def one():
        return 1

    def __add__(self, other):
        return self.n + other


def main():
    c = Child.of(1)
    c.size = c.size + Child.one()

    class Local:
        x = c.n
        def get(self):
            return self.x
    return c + Local().get()
