class Counter:
    def __init__(self, step):
        self.value = 0
        self.step = step

    def increment(self):
        self.value += self.step
        return self.value


def run_counter(step, times):
    counter = Counter(step)
    for _ in range(times):
        counter.increment()
    return counter.value


assert run_counter(2, 3) == 6
assert run_counter(5, 0) == 0
assert run_counter(-1, 2) == -2
