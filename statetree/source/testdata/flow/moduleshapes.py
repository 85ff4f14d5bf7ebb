# entries: ;
import json
from collections import deque

LIMIT = 3


def helper(x):
    global counter
    counter = x
    return x


class Box:
    size = 1
    area = size * LIMIT

    def grow(self):
        self.size = helper(self.size)
        return self


box = Box().grow()
queue = deque([1, 2])
while queue:
    item = queue.popleft()
    if item == 2:
        del LIMIT
    value = helper(item)
double = lambda v: v * 2
value = double(value)
value = helper
value = 3
for index, letter in enumerate("ab"):
    if letter == "b":
        extra = index
try:
    print(LIMIT)
except NameError as error:
    text = json.dumps(str(error))
if helper(0): pass
total = sum(helper(i) for i in range(2))


def drop():
    global total
    del total


drop()
last = [helper(1), helper(2)]
