def triangle_type(a, b, c):
    sides = sorted([a, b, c])
    if sides[0] <= 0 or sides[0] + sides[1] <= sides[2]:
        return "invalid"
    distinct = len(set(sides))
    if distinct == 1:
        return "equilateral"
    if distinct == 2:
        return "isosceles"
    return "scalene"


assert triangle_type(3, 3, 3) == 'equilateral'
assert triangle_type(5, 4, 3) == 'scalene'
assert triangle_type(1, 2, 3) == 'invalid'
