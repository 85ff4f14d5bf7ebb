import assert from "node:assert/strict";
import { test } from "node:test";

import { describe } from "../model";

for (const [name, model, text, tooltip] of [
  [
    "a model on a device",
    { name: "nano", detail: "2 M parameters", device: "cpu" },
    "$(lightbulb) nano on cpu",
    "neuraldbg: states are predicted by nano (2 M parameters) on cpu. Nothing is executed.",
  ],
  ["a recording", { name: "replay" }, "$(lightbulb) replay", "neuraldbg: states are predicted by replay. Nothing is executed."],
] as const) {
  test(`described: ${name}`, () => assert.deepEqual(describe(model), { text, tooltip }));
}
