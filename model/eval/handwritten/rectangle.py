class Rectangle:
    def __init__(self, width, height):
        self.width = width
        self.height = height

    def area(self):
        return self.width * self.height

    def is_square(self):
        return self.width == self.height


def total_area(sizes):
    total = 0
    squares = 0
    for width, height in sizes:
        shape = Rectangle(width, height)
        total += shape.area()
        if shape.is_square():
            squares += 1
    return {"total": total, "squares": squares}


assert total_area([(2, 3)]) == {'total': 6, 'squares': 0}
assert total_area([(1, 1), (4, 2)]) == {'total': 9, 'squares': 1}
assert total_area([]) == {'total': 0, 'squares': 0}
