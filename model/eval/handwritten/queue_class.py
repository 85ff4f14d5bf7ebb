class Queue:
    def __init__(self):
        self.items = []

    def push(self, item):
        self.items.append(item)

    def pop(self):
        if not self.items:
            raise IndexError("pop from an empty queue")
        return self.items.pop(0)

    def __len__(self):
        return len(self.items)


def serve(commands):
    queue = Queue()
    served = []
    for command in commands:
        if command == "next":
            try:
                served.append(queue.pop())
            except IndexError:
                served.append(None)
        else:
            queue.push(command)
    return served, len(queue)


assert serve(["ann", "bob", "next"]) == (['ann'], 1)
assert serve(["next"]) == ([None], 0)
