def grade(score):
    if score >= 90:
        return "A"
    elif score >= 75:
        return "B"
    elif score >= 60:
        return "C"
    return "F"


def grades(scores):
    report = {}
    for name, score in scores.items():
        report[name] = grade(score)
    return report


assert grade(75) == 'B'
assert grade(12) == 'F'
assert grades({"Tom": 92, "Sue": 61}) == {'Tom': 'A', 'Sue': 'C'}
