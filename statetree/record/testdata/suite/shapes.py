import math


class Circle:
    def __init__(self, radius):
        if radius < 0:
            raise ValueError("a radius is not negative")
        self.radius = radius

    @property
    def area(self):
        return math.pi * self.radius ** 2


def largest(circles):
    best = None
    for circle in circles:
        if best is None or circle.area > best.area:
            best = circle
    return best
