import assert from "node:assert/strict";
import { test } from "node:test";

import { codeOf, expressionAt, functionAt, namesIn, returnLines } from "../python";

for (const [name, lines, wanted] of [
  ["a comment", ["n = 1  # n is 'one'"], ["n = 1              "]],
  ["a string", ["s = 'a # b' + t"], ["s =         + t"]],
  ["an escaped quote", ["s = 'it\\'s' + t"], ["s =         + t"]],
  ["prefixes", ["s = rb'x' + f\"{y}\""], ["s =       +       "]],
  ["a name that ends like a prefix", ["buf'x'"], ["buf   "]],
  ["triple quotes", ['"""one', "n = 1", 'two""" + n'], ["      ", "     ", "       + n"]],
  ["a string that is not closed ends with its line", ["s = 'x", "n = 1"], ["s =   ", "n = 1"]],
  ["an empty string", ["s = '' + t"], ["s =    + t"]],
  ["no code", ["", "  "], ["", "  "]],
] as const) {
  test(`code: ${name}`, () => assert.deepEqual(codeOf(lines), wanted));
}

test("names: no keywords, no attributes, each once a line", () => {
  const code = codeOf(["for c in s:", "    n += int(c == order.total) + n  # c", "    x = 1e5"]);
  assert.deepEqual(
    namesIn(code, 0, 3).map((n) => `${n.line}:${n.start} ${n.name}`),
    ["0:4 c", "0:9 s", "1:4 n", "1:9 int", "1:13 c", "1:18 order", "2:4 x"],
  );
});

test("names: only in the lines asked for", () => {
  assert.deepEqual(namesIn(["a", "b", "c"], 1, 2).map((n) => n.name), ["b"]);
  assert.deepEqual(namesIn(["a"], -3, 9).map((n) => n.name), ["a"]);
});

for (const [source, at, wanted] of [
  ["n += int(c == t)", 0, "n"],
  ["n += int(c == t)", 9, "c"],
  ["n += int(c == t)", 2, undefined],
  ["a.b.c", 0, "a"],
  ["a.b.c", 2, "a.b"],
  ["a.b.c", 4, "a.b.c"],
  ["xs[i + 1].name", 3, "i"],
  ["xs[i + 1].name", 10, "xs[i + 1].name"],
  ["xs[i + 1]", 2, "xs[i + 1]"],
  ["xs[i + 1]", 8, "xs[i + 1]"],
  ["d['key']", 1, "d['key']"],
  ["d['key']", 4, undefined],
  ["f(x).y", 5, undefined],
  ["[1, 2]", 0, undefined],
  ["xs[", 2, undefined],
  ["return n", 2, undefined],
  ["größe + 1", 2, "größe"],
] as const) {
  test(`expression in ${source} at ${at}`, () => {
    const span = expressionAt(codeOf([source])[0] ?? "", at);
    assert.equal(span && source.slice(span.start, span.end), wanted);
  });
}

const nested = codeOf([
  "def outer(a):", // 0
  "    def inner(b):", // 1
  "        return b", // 2
  "", // 3
  "    if a:", // 4
  "        return inner(a)", // 5
  "    return 0", // 6
  "", // 7
  "x = outer(1)", // 8
  "class C:", // 9
  "    async def method(", // 10
  "        self,", // 11
  "    ):", // 12
  "        s = '''", // 13
  "def in_a_string():", // 14
  "return'''", // 15
  "        return s", // 16
]);

for (const [line, name] of [
  [0, "outer"], [1, "inner"], [2, "inner"], [4, "outer"], [5, "outer"], [6, "outer"], [8, undefined], [9, undefined],
  [10, "method"], [13, "method"], [16, "method"],
] as const) {
  test(`line ${line} is in ${name}`, () => assert.equal(functionAt(nested, line)?.name, name));
}

for (const [line, wanted] of [[4, [5, 6]], [2, [2]], [13, [16]]] as const) {
  test(`returns of the function at line ${line}`, () => {
    const f = functionAt(nested, line);
    assert.ok(f);
    assert.deepEqual(returnLines(nested, f), wanted);
  });
}
