/**
 * `neuraldbg dap`, driven by the client that VS Code's own adapters are tested
 * with. A recording answers in place of a model, so that right answers are known.
 */

import assert from "node:assert/strict";
import * as childProcess from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import * as path from "node:path";
import type { Readable } from "node:stream";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";

import type { DebugProtocol } from "@vscode/debugprotocol";

import { modelEvent } from "../model";
import {
  countBerry, Debugger, missing, ModelProcess, neuraldbg, neuraldbgModel, record, temporaryFolder,
} from "./neuraldbg";

describe("the adapter with a recording", { skip: missing(neuraldbg) }, () => {
  const folder = temporaryFolder();
  const launch = { entry: "main()", model: `replay:${path.join(folder, "berry.trace")}` };
  let session: Debugger;

  before(() => record(countBerry, "main()", path.join(folder, "berry.trace")));
  after(() => fs.rmSync(folder, { recursive: true }));
  beforeEach(async () => {
    session = new Debugger();
    await session.start();
  });
  afterEach(() => session.stop());

  test("the library's own scenario: launch, set a breakpoint, hit it", async () => {
    await session.hitBreakpoint(
      { program: countBerry, ...launch, stopOnEntry: false },
      { path: countBerry, line: 4 },
    );
  });

  test("a breakpoint on a blank line moves to the next line that runs", async () => {
    await session.hitBreakpoint(
      { program: countBerry, ...launch, stopOnEntry: false },
      { path: countBerry, line: 6 },
      { path: countBerry, line: 7 },
      { path: countBerry, line: 7 },
    );
  });

  test("forward: into, over and out of calls", async () => {
    const entry = await session.begin(launch, countBerry, []);
    assert.deepEqual(entry, { reason: "entry", at: "main (call):7", callers: [] });
    assert.deepEqual(await session.stepIn(), { reason: "step", at: "main:8", callers: [] });
    assert.deepEqual(await session.stepIn(), { reason: "step", at: "count:2", callers: ["main:8"] });
    assert.deepEqual(await session.locals(), { s: "'berry'", t: "'r'" });
    assert.deepEqual(await session.next(), { reason: "step", at: "count:3", callers: ["main:8"] });
    assert.deepEqual(await session.stepOut(), { reason: "step", at: "main (return):8", callers: [] });
    assert.equal((await session.locals())["(return) main"], "2");
  });

  test("the model is told before the first stop", async () => {
    const order: string[] = [];
    session.on(modelEvent, (event: DebugProtocol.Event) => order.push(event.body.name));
    session.on("stopped", () => order.push("stopped"));
    await session.begin(launch, countBerry, []);
    assert.deepEqual(order, ["replay", "stopped"]);
  });

  test("backward: a step, and to the breakpoint before", async () => {
    await session.begin({ ...launch, stopOnEntry: false }, countBerry, [4]);
    await session.resume();
    const third = await session.resume();
    assert.equal(third.at, "count:4");
    assert.deepEqual(await session.locals(), { s: "'berry'", t: "'r'", n: "0", c: "'r'" });
    assert.equal((await session.next()).at, "count:3");
    assert.equal((await session.locals())["n"], "1");
    assert.deepEqual(await session.stepBack(), third);
    assert.equal((await session.locals())["n"], "0");
    const second = await session.reverseContinue();
    assert.deepEqual([second.reason, second.at], ["breakpoint", "count:4"]);
    assert.equal((await session.locals())["c"], "'e'");
  });

  test("from a returned value back to the inputs", async () => {
    const from = { event: "return", line: 5, value: "2" };
    const start = await session.begin({ ...launch, entry: "count", from }, countBerry, []);
    assert.equal(start.at, "count (return):5");
    assert.equal((await session.reverseContinue()).at, "count (call):1");
    assert.deepEqual(await session.locals(), { s: "'berry'", t: "'r'" });
  });

  test("values are evaluated", async () => {
    await session.begin({ ...launch, stopOnEntry: false }, countBerry, [4]);
    for (const context of ["watch", "hover", "repl", "clipboard"]) {
      assert.equal(await session.evaluate("s", context), "'berry'", context);
    }
    await assert.rejects(session.evaluate("unknown", "watch"), /unknown/);
  });

  test("a recording refuses what-ifs, and the value stays", async () => {
    await session.begin({ ...launch, stopOnEntry: false }, countBerry, [4]);
    await assert.rejects(session.assign("n", "7"), /recording cannot answer what-ifs/);
    assert.equal((await session.locals())["n"], "0");
  });

  test("restart begins anew, at the entry", async () => {
    await session.begin(launch, countBerry, [4]);
    await session.resume();
    const again = await session.stopped(() => session.restartRequest({}));
    assert.deepEqual(again, { reason: "entry", at: "main (call):7", callers: [] });
    assert.equal((await session.resume()).at, "count:4");
  });

  test("at a predicted exit the session stops; the next continue ends it", async () => {
    await session.begin(launch, countBerry, []);
    await session.resume();
    const order: string[] = [];
    for (const name of ["output", "exited", "terminated"]) {
      session.on(name, () => order.push(name));
    }
    await Promise.all([session.waitForEvent("terminated"), session.continueRequest({ threadId: 1 })]);
    assert.deepEqual(order, ["output", "exited", "terminated"]);
  });

  test("after a disconnect the process ends with status 0", async () => {
    await session.begin(launch, countBerry, []);
    assert.equal(await session.leave(), 0);
  });

  test("an unknown request is an error, and the session lives", async () => {
    await session.begin(launch, countBerry, []);
    await assert.rejects(session.customRequest("neuraldbg/unknown"));
    assert.equal((await session.next()).at, "main:8");
  });
});

describe("the adapter as a TCP server", { skip: missing(neuraldbg) }, () => {
  const folder = temporaryFolder();
  const launch = { entry: "main()", model: `replay:${path.join(folder, "berry.trace")}` };
  let server: childProcess.ChildProcessByStdio<null, null, Readable>;

  before(() => {
    record(countBerry, "main()", path.join(folder, "berry.trace"));
    server = childProcess.spawn(neuraldbg, ["dap", "--listen", "127.0.0.1:0"], { stdio: ["ignore", "ignore", "pipe"] });
  });
  after(async () => {
    const end = once(server, "exit");
    server.kill();
    await end;
    fs.rmSync(folder, { recursive: true });
  });

  test("two clients, one leaves", async () => {
    const [said] = await once(server.stderr, "data");
    const port = Number(/:(\d+)\s*$/.exec(String(said))?.[1]);
    const [one, two] = [new Debugger(), new Debugger()];
    for (const session of [one, two]) {
      await session.start(port);
      await session.begin(launch, countBerry, [4]);
    }
    await one.resume();
    await one.stop();
    assert.equal((await two.next()).at, "main:8");
    await two.stop();
  });
});

describe("the adapter with nano", { skip: missing(neuraldbg, neuraldbgModel) }, () => {
  const folder = temporaryFolder();
  const models = new ModelProcess(folder);
  const session = new Debugger(models.environment);

  before(async () => {
    await models.ready();
    await session.start();
  });
  after(async () => {
    await session.stop();
    await models.stop();
    fs.rmSync(folder, { recursive: true });
  });

  test("a call is predicted, step by step, back, and with a value of one's own", async () => {
    const launch = { entry: "count('berry', 'r')", model: "nano", device: "cpu" };
    assert.equal((await session.begin(launch, countBerry, [4])).reason, "entry");
    await session.stepIn();
    assert.equal((await session.stepIn()).at, "count:2");
    assert.deepEqual(await session.locals(), { s: "'berry'", t: "'r'" });
    const there = await session.resume();
    assert.deepEqual([there.reason, there.at], ["breakpoint", "count:4"]);
    await session.next();
    assert.deepEqual(await session.stepBack(), there);
    assert.equal(await session.assign("n", "7"), "7");
    assert.equal(await session.evaluate("n", "watch"), "7");
    await session.next();
  });
});
