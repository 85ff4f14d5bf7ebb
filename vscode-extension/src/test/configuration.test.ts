import assert from "node:assert/strict";
import { test } from "node:test";

import { resolveConfiguration } from "../configuration";
import type { EditorContext, LaunchConfiguration, Resolution } from "../configuration";

function configured(resolution: Resolution): LaunchConfiguration {
  assert.ok("configuration" in resolution, JSON.stringify(resolution));
  return resolution.configuration;
}

function problem(resolution: Resolution): string {
  assert.ok("problem" in resolution, JSON.stringify(resolution));
  return resolution.problem;
}

test("without launch.json the open file is predicted", () => {
  const got = configured(resolveConfiguration({}, { activePythonFile: "/src/a.py" }));
  assert.deepEqual(got, {
    type: "neuraldbg",
    name: "neuraldbg: predict this file",
    request: "launch",
    program: "/src/a.py",
    model: "nano",
    stopOnEntry: true,
  });
});

test("without launch.json and without a Python file there is nothing to do", () => {
  assert.match(problem(resolveConfiguration({}, {})), /Open a Python file/);
});

test("what the user wrote stays", () => {
  const given: LaunchConfiguration = {
    type: "neuraldbg",
    name: "mine",
    request: "launch",
    program: "b.py",
    model: "replay:b.trace",
    stopOnEntry: false,
    __sessionId: "7",
  };
  const editor: EditorContext = { activePythonFile: "/src/a.py", defaultModel: "other" };
  assert.deepEqual(configured(resolveConfiguration(given, editor)), given);
});

test("the setting gives the model", () => {
  const editor: EditorContext = { activePythonFile: "/src/a.py", defaultModel: "runs/best" };
  assert.equal(configured(resolveConfiguration({}, editor)).model, "runs/best");
});

test("the given object is not changed", () => {
  const given = { type: "neuraldbg", name: "n", request: "launch" };
  resolveConfiguration(given, { activePythonFile: "/src/a.py" });
  assert.deepEqual(given, { type: "neuraldbg", name: "n", request: "launch" });
});

const base = { type: "neuraldbg", name: "n", request: "launch" };
for (const [name, given, message] of [
  ["attach", { ...base, request: "attach" }, /no request "attach"/],
  ["no program", base, /"program"/],
  ["a number for a repr", { ...base, program: "a.py", arguments: { n: 3 } }, /"n": "3"/],
  ["a list for a repr", { ...base, program: "a.py", arguments: { xs: [1] } }, /"xs": "\[1\]"/],
] as const) {
  test(`refused: ${name}`, () => {
    assert.match(problem(resolveConfiguration(given as Partial<LaunchConfiguration>, {})), message);
  });
}
