/**
 * The built `neuraldbg` for tests of the whole adapter: where it is, and a
 * client that drives it.
 */

import assert from "node:assert/strict";
import * as childProcess from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { DebugClient } from "@vscode/debugadapter-testsupport";
import type { DebugProtocol } from "@vscode/debugprotocol";

import { isExecutableFile } from "../executable";

const repository = path.resolve(__dirname, "../../..");

/** The program that the tests debug. */
export const countBerry = path.join(repository, "examples", "count_berry.py");

/** The command under test: what `make build` makes, or $NEURALDBG. */
export const neuraldbg = process.env["NEURALDBG"] ?? path.join(repository, "bin", "neuraldbg");

/** The process that holds models, which is kept beside the command. */
export const neuraldbgModel = path.join(path.dirname(neuraldbg), "neuraldbg-model");

/** Why the adapter cannot be tested here; false when it can. */
export function missing(...files: string[]): string | false {
  const absent = files.find((file) => !isExecutableFile(file));
  return absent === undefined ? false : `there is no ${absent}; make build makes it`;
}

/** Records what Python really does, for the replay predictor. */
export function record(program: string, entry: string, trace: string): void {
  childProcess.execFileSync(neuraldbg, ["record", program, "--entry", entry, "-o", trace], {
    stdio: "pipe",
  });
}

/** Where a session is stopped, as one can read it. */
export interface Place {
  reason: string;
  /**
   * Function and line of the innermost frame, such as `count:4` or
   * `count (return):5`. Whether its place in the stack is known or assumed is
   * left out: that depends on the way there.
   */
  at: string;
  /** The frames below it. */
  callers: string[];
}

/** The only thread there is. */
const threadId = 1;

/** How long a test waits for what comes at once unless there is a bug, in ms. */
const patience = 60_000;

/** A client that speaks of places and values in place of ids. */
export class Debugger extends DebugClient {
  constructor(environment: NodeJS.ProcessEnv = {}) {
    super(neuraldbg, "dap", "neuraldbg", { env: { ...process.env, ...environment } }, true);
    this.defaultTimeout = patience;
    this.on("output", (event: DebugProtocol.OutputEvent) => (this.console += event.body.output));
  }

  /** Says that the client is VS Code, whose extension the adapter knows. */
  override initializeRequest(
    args?: DebugProtocol.InitializeRequestArguments,
  ): Promise<DebugProtocol.InitializeResponse> {
    const editor = { adapterID: "neuraldbg", clientID: "vscode", linesStartAt1: true, columnsStartAt1: true };
    return super.initializeRequest(args ?? editor);
  }

  private left = false;
  /** What the console has shown. */
  private console = "";

  /** Disconnects, and returns the exit status of the adapter's process. */
  async leave(): Promise<number | null> {
    this.left = true;
    const adapter: childProcess.ChildProcess = this["_adapterProcess"];
    const status = new Promise<number | null>((resolve) => adapter.once("exit", resolve));
    await this.disconnectRequest();
    return status;
  }

  /** Ends the session, if the test has not done so itself. */
  override async stop(): Promise<void> {
    if (this.left) {
      return;
    }
    if (this["_socket"] !== undefined) {
      return super.stop();
    }
    await this.leave();
  }

  /** Launches, sets breakpoints at lines, and waits for the first stop. */
  async begin(launch: object, program: string, breakpoints: number[]): Promise<Place> {
    const configured = this.waitForEvent("initialized").then(async () => {
      await this.setBreakpointsRequest({
        source: { path: program },
        breakpoints: breakpoints.map((line) => ({ line })),
      });
      await this.configurationDoneRequest();
    });
    const [place] = await Promise.all([
      this.stopped(() => this.launch({ program, ...launch })),
      configured,
    ]);
    return place;
  }

  /**
   * Does something that moves, and returns where the session stops then. It is
   * an error when debugging ends instead; what the console said is in it.
   */
  async stopped(move: () => Promise<unknown>): Promise<Place> {
    const waiting = new AbortController();
    const stop = once(this, "stopped", waiting);
    const end = once(this, "terminated", waiting).then(() => {
      throw new Error(`debugging has ended: ${this.console}`);
    });
    try {
      const [[event]] = await Promise.all([Promise.race([stop, end]), move()]);
      const { reason } = (event as DebugProtocol.StoppedEvent).body;
      const [at, ...callers] = (await this.frames()).map((frame) => `${frame.name}:${frame.line}`);
      return { reason, at: (at ?? "").replace(/ \(assumed\)|assumed, /, ""), callers };
    } finally {
      waiting.abort();
      await Promise.allSettled([stop, end]);
    }
  }

  next(): Promise<Place> {
    return this.stopped(() => this.nextRequest({ threadId }));
  }

  stepIn(): Promise<Place> {
    return this.stopped(() => this.stepInRequest({ threadId }));
  }

  stepOut(): Promise<Place> {
    return this.stopped(() => this.stepOutRequest({ threadId }));
  }

  resume(): Promise<Place> {
    return this.stopped(() => this.continueRequest({ threadId }));
  }

  stepBack(): Promise<Place> {
    return this.stopped(() => this.stepBackRequest({ threadId }));
  }

  reverseContinue(): Promise<Place> {
    return this.stopped(() => this.reverseContinueRequest({ threadId }));
  }

  /** The frames of the stop, innermost first. */
  async frames(): Promise<DebugProtocol.StackFrame[]> {
    return (await this.stackTraceRequest({ threadId })).body.stackFrames;
  }

  /** The scopes of the innermost frame. */
  async scopes(): Promise<DebugProtocol.Scope[]> {
    const [frame] = await this.frames();
    return (await this.scopesRequest({ frameId: frame?.id ?? 0 })).body.scopes;
  }

  /** Names and values of what is in the innermost frame's first scope. */
  async locals(): Promise<Record<string, string>> {
    const [scope] = await this.scopes();
    const variablesReference = scope?.variablesReference ?? 0;
    const { variables } = (await this.variablesRequest({ variablesReference })).body;
    return Object.fromEntries(variables.map((v) => [v.name, v.value]));
  }

  /** Changes a local, and returns its new value. */
  async assign(name: string, value: string): Promise<string> {
    const [scope] = await this.scopes();
    const variablesReference = scope?.variablesReference ?? 0;
    return (await this.setVariableRequest({ variablesReference, name, value })).body.value;
  }

  /** The value of an expression in the innermost frame. */
  async evaluate(expression: string, context: string): Promise<string> {
    const [frame] = await this.frames();
    const frameId = frame?.id ?? 0;
    return (await this.evaluateRequest({ expression, context, frameId })).body.result;
  }
}

/**
 * A model process of a test's own, which ends with the test; one that a session
 * starts outlives it. Sessions find it by their `environment`.
 */
export class ModelProcess {
  readonly environment: NodeJS.ProcessEnv;
  private readonly process: childProcess.ChildProcess;

  /** Starts the process; its socket is made in the folder. */
  constructor(private readonly folder: string) {
    this.environment = { XDG_RUNTIME_DIR: folder };
    const env = { ...process.env, ...this.environment };
    this.process = childProcess.spawn(neuraldbgModel, ["serve"], { env, stdio: "ignore" });
  }

  /** Waits until sessions can find the process. */
  async ready(): Promise<void> {
    const processes = path.join(this.folder, "neuraldbg"); // one folder for each executable
    const listens = () =>
      fs.existsSync(processes) && fs.readdirSync(processes).some((name) => fs.existsSync(path.join(processes, name, "model.sock")));
    for (const end = Date.now() + patience; !listens(); await sleep(20)) {
      assert.ok(Date.now() < end && this.process.exitCode === null, "the model process did not start");
    }
  }

  async stop(): Promise<void> {
    const end = once(this.process, "exit");
    this.process.kill();
    await end;
  }
}

/** Makes a folder for a test's files. */
export function temporaryFolder(): string {
  return fs.mkdtempSync(path.join(os.tmpdir(), "neuraldbg-"));
}
