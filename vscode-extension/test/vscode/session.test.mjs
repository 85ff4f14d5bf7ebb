/**
 * The extension in a real VS Code: `npm run test:vscode`.
 *
 *   $NEURALDBG_VSCODE  where install.sh has put VS Code
 *   $NEURALDBG         the command (default: bin/neuraldbg of this checkout)
 *   $SCREENSHOTS       where pictures go (default: screenshots, beside this file)
 */

import * as childProcess from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, before, describe, test } from "node:test";

import { extension, missing, VSCode } from "./vscode.mjs";

const repository = path.dirname(extension);
const neuraldbg = process.env.NEURALDBG ?? path.join(repository, "bin", "neuraldbg");
const neuraldbgModel = path.join(path.dirname(neuraldbg), "neuraldbg-model");
const screenshots = path.resolve(process.env.SCREENSHOTS ?? path.join(extension, "test/vscode/screenshots"));
const absent = missing() || (!fs.existsSync(neuraldbg) && `there is no ${neuraldbg}; make build makes it`);

const settings = {
  "neuraldbg.path": neuraldbg,
  "chat.commandCenter.enabled": false,
  "debug.openDebug": "openOnSessionStart",
  "debug.toolBarLocation": "floating",
  "editor.minimap.enabled": false,
  "extensions.ignoreRecommendations": true,
  "telemetry.telemetryLevel": "off",
  "window.commandCenter": false,
  "workbench.colorTheme": "Default Light Modern",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
};

describe("the extension in VS Code", { skip: absent }, () => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "neuraldbg-vscode-"));
  const workspace = path.join(home, "examples");
  // A model process of the test's own: one that a session starts would stay.
  const environment = { XDG_RUNTIME_DIR: home };
  /** @type {childProcess.ChildProcess | undefined} */ let models;
  /** @type {VSCode} */ let code;

  before(async () => {
    fs.mkdirSync(screenshots, { recursive: true });
    fs.mkdirSync(path.join(workspace, ".vscode"), { recursive: true });
    fs.copyFileSync(path.join(repository, "examples/count_berry.py"), path.join(workspace, "count_berry.py"));
    const common = { type: "neuraldbg", request: "launch", program: "${workspaceFolder}/count_berry.py" };
    const configurations = [
      { ...common, name: "recording", entry: "main()", model: "replay:berry.trace", stopOnEntry: false },
      { ...common, name: "nano", entry: "main()", model: "nano", device: "cpu" },
    ];
    fs.writeFileSync(path.join(workspace, ".vscode/launch.json"), JSON.stringify({ version: "0.2.0", configurations }));
    run(neuraldbg, ["record", "count_berry.py", "--entry", "main()", "-o", "berry.trace"], workspace);
    const vsix = path.join(home, "neuraldbg.vsix");
    run("npm", ["run", "--silent", "package", "--", "--out", vsix], extension);
    if (fs.existsSync(neuraldbgModel)) {
      models = childProcess.spawn(neuraldbgModel, ["serve"], { env: { ...process.env, ...environment }, stdio: "ignore" });
    }
    code = await VSCode.start({ home, workspace, vsix, settings, environment });
  });

  after(async () => {
    await code?.stop();
    models?.kill();
    fs.rmSync(home, { recursive: true, maxRetries: 3 });
  });

  let failed = false;

  /** A step of the session. Each goes on from the one before; after a failure none does. */
  function step(name, ...rest) {
    const body = rest.pop();
    test(name, rest[0] ?? {}, async (t) => {
      if (failed) {
        t.skip("a step before has failed");
        return;
      }
      try {
        await body();
      } catch (error) {
        failed = true;
        await code?.screenshot(path.join(screenshots, `failed: ${name}.png`));
        throw error;
      }
    });
  }

  step("a breakpoint, and launch to it", async () => {
    await code.open("count_berry.py");
    await code.showDebugView();
    await code.fold("Watch"); // more room for variables
    await code.setBreakpoint(4);
    await code.launch("recording");
    await code.expectAt("count:4");
    await code.expectVariables({ s: "'berry'", t: "'r'", n: "0", c: "'b'" });
    await code.expectStatus("replay");
  });

  step("values beside the lines", async () => {
    await code.expectInline("n += int(c == t)", "n = 0, c = 'b', t = 'r'");
    await code.expectInline("def count(s, t):", "s = 'berry', t = 'r'");
  });

  step("the value under the mouse, and of an expression", async () => {
    await code.expectHover("n += int(c == t)", 17, "'b'");
    await code.expectConsole("s", "'berry'");
  });

  step("step over", async () => {
    await code.press("Step Over");
    await code.expectAt("count:3");
  });

  step("continue", async () => {
    await code.press("Continue");
    await code.expectVariables({ c: "'e'" });
    await code.press("Continue");
    await code.expectVariables({ c: "'r'", n: "0" });
    await code.press("Step Over");
    await code.expectVariables({ c: "'r'", n: "1" });
  });

  step("step back", async () => {
    await code.press("Step Back");
    await code.expectAt("count:4");
    await code.expectVariables({ c: "'r'", n: "0" });
  });

  step("reverse", async () => {
    await code.press("Reverse");
    await code.expectVariables({ c: "'e'", n: "0" });
    await code.expectAt("count:4");
  });

  step("restart and stop", async () => {
    await code.press("Step Over"); // away from where the new run stops
    await code.expectAt("count:3");
    await code.press("Restart");
    await code.expectAt("count:4");
    await code.expectVariables({ c: "'b'" });
    await code.press("Stop");
    await code.expectEnd();
  });

  const nano = { skip: !fs.existsSync(neuraldbgModel) && `there is no ${neuraldbgModel}` };

  step("nano predicts a call", nano, async () => {
    await code.launch("nano");
    await code.expectStatus("nano on cpu");
    await code.expectAt("main (call):7");
    await code.press("Continue");
    await code.expectAt("count:4");
    await code.screenshot(path.join(screenshots, "forward.png"));
    await code.press("Stop");
    await code.expectEnd();
  });

  step("nano infers the inputs for a return value", nano, async () => {
    await code.goTo(5);
    await code.command("neuraldbg: Infer inputs for this return value…");
    await code.answer("What does count return at line 5?", "2");
    await code.expectAt("count (call):1");
    await code.unfold("Alternatives");
    await code.screenshot(path.join(screenshots, "inputs.png"));
    await code.press("Stop");
    await code.expectEnd();
  });
});

function run(command, args, cwd) {
  childProcess.execFileSync(command, args, { cwd, stdio: "pipe" });
}
