/**
 * A real VS Code: code-server with a headless Chromium as its window, both found
 * where install.sh puts them. What a test does with it is in words of a user.
 */

import assert from "node:assert/strict";
import * as childProcess from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { createRequire } from "node:module";
import * as net from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

/** The extension's folder. */
export const extension = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/** Where install.sh has put code-server and playwright-core. */
const installed =
  process.env.NEURALDBG_VSCODE ??
  path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), ".cache"), "neuraldbg-vscode");
const codeServer = path.join(installed, "node_modules/code-server/out/node/entry.js");

/** How long to wait for what comes unless there is a bug, in ms. A busy machine needs a minute for VS Code's start. */
const patience = 120_000;

/** The browser: $CHROMIUM, or what Linux distributions call it. */
function findBrowser() {
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const inPath = (process.env.PATH ?? "").split(":").flatMap((folder) => names.map((name) => path.join(folder, name)));
  return [process.env.CHROMIUM ?? "", ...inPath].find((file) => file !== "" && fs.existsSync(file));
}

/** Why there is no VS Code to test in; false when there is. */
export function missing() {
  if (!fs.existsSync(path.join(installed, "installed.json"))) {
    return `there is no VS Code in ${installed}; test/vscode/install.sh puts it there`;
  }
  return findBrowser() === undefined && "there is no Chromium; CHROMIUM can name it";
}

async function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** An error that is worth another look soon, until patience ends. */
async function eventually(what, look) {
  const end = Date.now() + patience;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (Date.now() > end) {
        throw new Error(`${what}: ${error.message}`, { cause: error });
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

export class VSCode {
  /** @type {childProcess.ChildProcess} */ #server;
  /** @type {import("playwright-core").Browser} */ #browser;
  /** @type {import("playwright-core").Page} */ page;

  /**
   * Starts VS Code in a folder of the test's own, with the packed extension.
   * @param {{home: string, workspace: string, vsix: string, settings: object, environment?: object}} options
   */
  static async start({ home, workspace, vsix, settings, environment = {} }) {
    const code = new VSCode();
    const data = path.join(home, "data");
    // The first is what belongs to the window, the second to the machine, such as paths.
    for (const folder of ["User", "Machine"]) {
      fs.mkdirSync(path.join(data, folder), { recursive: true });
      fs.writeFileSync(path.join(data, folder, "settings.json"), JSON.stringify(settings));
    }
    const port = await freePort();
    const folders = ["--user-data-dir", data, "--extensions-dir", path.join(home, "extensions")];
    const env = {
      ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, XDG_CACHE_HOME: home, ...environment,
    };
    childProcess.execFileSync(process.execPath, [codeServer, ...folders, "--install-extension", vsix], { env, stdio: "pipe" });
    const log = fs.openSync(path.join(home, "code-server.log"), "w");
    code.#server = childProcess.spawn(
      process.execPath,
      [
        codeServer, ...folders, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry",
        "--disable-update-check", "--disable-workspace-trust", "--disable-getting-started-override",
      ],
      { env, stdio: ["ignore", log, log] },
    );
    fs.closeSync(log);
    const { chromium } = createRequire(path.join(installed, "package.json"))("playwright-core");
    code.#browser = await chromium.launch({
      executablePath: findBrowser(),
      chromiumSandbox: process.getuid?.() !== 0,
    });
    code.page = await code.#browser.newPage({ viewport: { width: 1120, height: 640 } });
    code.page.setDefaultTimeout(patience);
    await eventually("VS Code answers", () => code.page.goto(`http://127.0.0.1:${port}/?folder=${workspace}`));
    await code.page.locator(".monaco-workbench .explorer-folders-view .monaco-list-row").first().waitFor();
    return code;
  }

  async stop() {
    await this.#browser?.close();
    if (this.#server?.exitCode === null) {
      const end = once(this.#server, "exit");
      this.#server.kill();
      await end;
    }
  }

  /** Types into the input at the top, and takes the row that is offered first, when it is the wanted one. */
  async pick(text, row) {
    await this.page.locator(".quick-input-widget input.input:visible").fill(text);
    await this.page.locator(".quick-input-list .monaco-list-row.focused").filter({ hasText: row }).waitFor();
    await this.page.keyboard.press("Enter");
  }

  /** Runs a command by its title in the palette. */
  async command(title) {
    await this.page.keyboard.press("F1");
    await this.pick(`>${title}`, title);
  }

  /** Answers an input box that asks something. */
  async answer(question, text) {
    const box = this.page.locator(".quick-input-widget:visible").filter({ hasText: question });
    await box.waitFor();
    await box.locator("input.input").fill(text);
    await this.page.keyboard.press("Enter");
  }

  /** Opens a file of the workspace, from the explorer. */
  async open(file) {
    await this.page.locator(".explorer-folders-view .monaco-list-row").filter({ hasText: file }).dblclick();
    await this.page.locator(`.tab.active[data-resource-name="${file}"]`).waitFor();
  }

  /** Puts the cursor into a line. */
  async goTo(line) {
    await this.page.keyboard.press("Control+G");
    await this.pick(`:${line}`, `line ${line}.`);
    await this.page.locator(".statusbar-item").filter({ hasText: `Ln ${line},` }).waitFor();
  }

  /** Sets a breakpoint at a line. VS Code refuses until it has read what extensions contribute. */
  async setBreakpoint(line) {
    await this.goTo(line);
    await eventually(`a breakpoint at line ${line}`, async () => {
      await this.page.keyboard.press("F9");
      await this.page.locator(".editor-instance .codicon-debug-breakpoint").waitFor({ timeout: 5_000 });
    });
  }

  /** Shows the view "Run and Debug", with the launch configurations. */
  async showDebugView() {
    await this.page.keyboard.press("Control+Shift+D");
    await this.page.locator(".start-debug-action-item option").first().waitFor({ state: "attached" });
  }

  /** Folds a section of the view. */
  async fold(section) {
    const header = this.page.locator('.pane-header[aria-expanded="true"]').filter({ hasText: section });
    await header.click();
    await header.waitFor({ state: "detached" });
  }

  /** Presses a button of the debug toolbar: "Step Over", "Step Back". */
  async press(button) {
    await this.page.locator(`.debug-toolbar .action-label[aria-label^="${button}"]`).click();
  }

  /** Starts the launch configuration with a name. */
  async launch(name) {
    await this.page.locator(".start-debug-action-item select").selectOption(name);
    await this.page.locator(".start-debug-action-item .codicon-debug-start").click();
    await this.page.locator(".debug-toolbar").waitFor();
  }

  /** The frames in the call stack view, innermost first, such as "count:4". */
  async stack() {
    const frames = this.page.locator(".debug-call-stack .stack-frame");
    return frames.evaluateAll((elements) =>
      elements.map((e) => {
        const place = e.querySelector(".line-number")?.textContent ?? "";
        return `${e.querySelector(".label")?.textContent}:${place.split(":")[0]}`;
      }),
    );
  }

  /** Names and values of the scopes that are unfolded in the variables view. */
  async variables() {
    const rows = this.page.locator(".debug-variables .monaco-list-row .expression");
    const pairs = await rows.evaluateAll((elements) =>
      elements.map((e) => [
        e.querySelector(".name")?.textContent?.replace(/ =$/, ""),
        e.querySelector(".value")?.textContent,
      ]),
    );
    return Object.fromEntries(pairs);
  }

  /** Unfolds a scope in the variables view. */
  async unfold(scope) {
    const row = this.page.locator(`.debug-variables .monaco-list-row[aria-label="Scope ${scope}"]`);
    await row.click();
    await row.and(this.page.locator('[aria-expanded="true"]')).waitFor();
  }

  /** Waits until the session is stopped where it is expected to be. */
  async expectAt(wanted) {
    await eventually(`stopped at ${wanted}`, async () => {
      assert.equal(((await this.stack())[0] ?? "").replace(/ \(assumed\)|assumed, /, ""), wanted);
    });
  }

  /** Waits until variables have values; others may be there too. */
  async expectVariables(wanted) {
    await eventually("variables", async () => {
      const shown = await this.variables();
      assert.deepEqual(Object.fromEntries(Object.keys(wanted).map((name) => [name, shown[name]])), wanted);
    });
  }

  /** Waits until there are values beside a line. */
  async expectInline(line, values) {
    await eventually(`${values} beside ${line}`, async () => {
      const texts = await this.page.locator(".editor-instance .view-line").allTextContents();
      const shown = texts.map((text) => text.replaceAll("\u00a0", " ").trim());
      assert.ok(shown.includes(`${line} ${values}`), JSON.stringify(shown));
    });
  }

  /** Waits until the mouse over a place in a line shows a value. */
  async expectHover(lineText, column, value) {
    const line = this.page.locator(".editor-instance .view-line").filter({ hasText: lineText }).first();
    const place = await line.evaluate((element, wanted) => {
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let before = 0; texts.nextNode(); before += texts.currentNode.data.length) {
        if (wanted < before + texts.currentNode.data.length) {
          const range = document.createRange();
          range.setStart(texts.currentNode, wanted - before);
          range.setEnd(texts.currentNode, wanted - before + 1);
          const { x, y, width, height } = range.getBoundingClientRect();
          return { x: x + width / 2, y: y + height / 2 };
        }
      }
    }, column);
    await eventually("hover", async () => {
      await this.page.mouse.move(place.x + 1, place.y + 40);
      await this.page.mouse.move(place.x, place.y);
      const widget = this.page.locator(".debug-hover-widget:visible").filter({ hasText: value });
      await widget.waitFor({ timeout: 5_000 });
    });
    await this.page.keyboard.press("Escape");
  }

  /** Evaluates in the debug console, and waits for the result. */
  async expectConsole(expression, result) {
    await this.page.locator(".repl-input-wrapper .monaco-editor").click();
    await this.page.keyboard.type(expression);
    await this.page.keyboard.press("Enter");
    await this.page.locator(".repl .evaluation-result").filter({ hasText: result }).last().waitFor();
  }

  /** Waits until the status bar contains something. */
  async expectStatus(text) {
    await this.page.locator(".statusbar-item").filter({ hasText: text }).first().waitFor();
  }

  /** Waits until there is no session any more. */
  async expectEnd() {
    await this.page.locator(".debug-toolbar").waitFor({ state: "hidden" });
  }

  async screenshot(file) {
    await this.page.mouse.move(700, 500);
    await this.page.waitForTimeout(500); // what fades in or out
    await this.page.screenshot({ path: file });
  }
}
