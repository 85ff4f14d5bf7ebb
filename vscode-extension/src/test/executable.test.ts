import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { test } from "node:test";

import { findExecutable, isExecutableFile } from "../executable";
import type { SearchContext } from "../executable";

function context(setting: string, files: string[], more: Partial<SearchContext> = {}): SearchContext {
  return {
    setting,
    workspaceFolder: "/work",
    searchPath: "/usr/bin:/opt/bin:bin",
    platform: "linux",
    isExecutable: (file) => files.includes(file),
    ...more,
  };
}

for (const [name, given, command] of [
  ["in PATH, first folder first", context("neuraldbg", ["/usr/bin/neuraldbg", "/opt/bin/neuraldbg"]), "/usr/bin/neuraldbg"],
  ["an empty setting means the name", context("  ", ["/opt/bin/neuraldbg"]), "/opt/bin/neuraldbg"],
  ["an absolute path", context("/x/neuraldbg", ["/x/neuraldbg"]), "/x/neuraldbg"],
  ["a path in the workspace", context("./bin/neuraldbg", ["/work/bin/neuraldbg"]), "/work/bin/neuraldbg"],
  ["the workspace variable", context("${workspaceFolder}/bin/neuraldbg", ["/work/bin/neuraldbg"]), "/work/bin/neuraldbg"],
  ["the home folder", context("~/bin/neuraldbg", [path.join(os.homedir(), "bin/neuraldbg")]), path.join(os.homedir(), "bin/neuraldbg")],
  ["a Windows suffix", context("/x/neuraldbg", ["/x/neuraldbg.exe"], { platform: "win32" }), "/x/neuraldbg.exe"],
] as const) {
  test(`found: ${name}`, () => {
    assert.deepEqual(findExecutable(given), { command });
  });
}

for (const [name, given, message] of [
  ["not in PATH", context("neuraldbg", []), /no "neuraldbg" in PATH.*"neuraldbg.path"/],
  ["relative folders of PATH do not count", context("neuraldbg", ["bin/neuraldbg"]), /no "neuraldbg" in PATH/],
  ["the workspace's own build, unasked", context("neuraldbg", ["/work/bin/neuraldbg"]), /no "neuraldbg" in PATH/],
  ["a wrong path", context("/x/neuraldbg", []), /"\/x\/neuraldbg" is not a file that can be run/],
  ["a relative path without a workspace", context("./n", ["/work/n"], { workspaceFolder: undefined }), /not a file that can be run/],
] as const) {
  test(`not found: ${name}`, () => {
    const found = findExecutable(given);
    assert.ok("problem" in found);
    assert.match(found.problem, message);
  });
}

test("a build in the workspace is offered", () => {
  const found = findExecutable(context("neuraldbg", ["/work/bin/neuraldbg"]));
  assert.ok("problem" in found);
  assert.equal(found.offer, "/work/bin/neuraldbg");
});

test("a file must be executable and no folder", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "neuraldbg-"));
  try {
    const file = path.join(folder, "neuraldbg");
    assert.equal(isExecutableFile(file), false);
    fs.writeFileSync(file, "#!/bin/sh\n", { mode: 0o755 });
    assert.equal(isExecutableFile(file), true);
    assert.equal(isExecutableFile(folder), false);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});
