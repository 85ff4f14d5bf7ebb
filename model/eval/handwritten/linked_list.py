class Node:
    def __init__(self, value, next=None):
        self.value = value
        self.next = next


def build(values):
    head = None
    for value in reversed(values):
        head = Node(value, head)
    return head


def to_list(values):
    node = build(values)
    result = []
    while node:
        result.append(node.value)
        node = node.next
    return result


assert to_list([1, 2]) == [1, 2]
assert to_list(["x"]) == ['x']
assert to_list([]) == []
