def add(
    a,
    b=1,
):
    return (
        a
        + b
    )


def main():
    x = add(
        add(
            1,
        ),
        b=add(2),
    )
    text = """two
lines"""
    y = x \
        + 1
    return {
        "x": x,
        "y": y,
        "t": text,
    }
