def to_number(text):
    if not text:
        raise ValueError("empty")
    return int(text)


def parse(texts):
    numbers = []
    for text in texts:
        try:
            numbers.append(to_number(text))
        except ValueError as error:
            numbers.append(None)
            if not text:
                raise RuntimeError("give up") from error
        finally:
            done = len(numbers)
    return numbers, done
