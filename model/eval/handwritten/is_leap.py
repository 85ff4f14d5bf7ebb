def is_leap(year):
    if year % 400 == 0:
        return True
    if year % 100 == 0:
        return False
    return year % 4 == 0


def leap_years(start, stop):
    return [year for year in range(start, stop) if is_leap(year)]


assert is_leap(2000) == True
assert is_leap(1900) == False
assert leap_years(2019, 2025) == [2020, 2024]
