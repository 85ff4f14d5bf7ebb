# The values that the expressions of expressions.txt use. generate.py runs it.
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass
from enum import Enum
import datetime


@dataclass
class Point:
    x: int
    y: object


class Color(Enum):
    RED = 1
    GREEN = 'g'


Pair = namedtuple('Pair', 'first second')

n = 7
m = -3
zero = 0
big = 123456789012345678901234567890
f = 2.5
g = -0.75
nan = float('nan')
inf = float('inf')
negzero = -0.0
yes = True
no = False
nothing = None
s = 'berry'
empty = ''
word = 'Hello, World'
uni = 'größe ❤ 日本 𝄞'
quoted = 'it\'s "x"\n\t\\'
raw = b'abc\x00\xff'
lone = '\ud800x'
l = [3, 1, 2]
words = ['pear', 'fig', 'apple', 'kiwi']
mixed = [1, 'a', None, 2.5, [1, 2], (3,)]
matrix = [[1, 2, 3], [4, 5, 6]]
t = (1, 'two', 3.0)
one = (1,)
d = {'a': 1, 'b': 2, 3: 'three', (1, 2): [4]}
nested = {'users': [{'name': 'Ann', 'age': 31}, {'name': 'Bob', 'age': 25}], 'total': 2}
numbers = {3, 1, 2}
letters = frozenset('ab')
r = range(2, 11, 3)
z = 3 + 4j
p = Point(1, [2, 3])
q = Point(1, [2, 3])
pair = Pair('k', 5)
red = Color.RED
green = Color.GREEN
day = datetime.date(2024, 2, 29)
later = datetime.date(2024, 3, 1)
moment = datetime.datetime(2024, 2, 29, 13, 45)
span = datetime.timedelta(days=2, seconds=30)
queue = deque([1, 2, 3])
counts = Counter('banana')
ordered = OrderedDict(a=1, b=2)
groups = defaultdict(list, {'x': [1]})
error = ValueError('no such thing')
f_ = print
x = 5
items = [('b', 2), ('a', 1), ('c', 3)]
