/**
 * The command "Infer inputs for this return value": asks for a value, begins at
 * the function's return of it, and goes back to the arguments of its call.
 */

import * as vscode from "vscode";

import { debugType } from "./configuration";
import { modelEvent } from "./model";
import { codeOf, functionAt, returnLines } from "./python";
import { linesOf } from "./values";

/** The command that package.json contributes. */
export const inferCommand = "neuraldbg.inferInputs";

/** The key of a launch that goes back to the inputs by itself. The adapter has no use for it. */
const goesBack = "__goesBackToInputs";

/** How many inputs to ask for; the scope "Alternatives" has those that are not shown. */
const samples = 5;

export async function inferInputs(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== "python") {
    void vscode.window.showErrorMessage("Open a Python file, and put the cursor into a function.");
    return;
  }
  const code = codeOf(linesOf(editor.document));
  const f = functionAt(code, editor.selection.active.line);
  if (f === undefined) {
    void vscode.window.showErrorMessage("Put the cursor into a function; it is in none.");
    return;
  }
  const returns = returnLines(code, f);
  if (returns.length === 0) {
    void vscode.window.showErrorMessage(`${f.name} has no return statement to go back from.`);
    return;
  }
  const line = await chooseLine(editor, f.name, returns);
  if (line === undefined) {
    return;
  }
  const value = await vscode.window.showInputBox({
    title: `Infer the inputs of ${f.name}`,
    prompt: `What does ${f.name} return at line ${line + 1}? Write it as Python's repr does.`,
    placeHolder: "2, 'text', [1, 2]",
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? "A value is needed, such as 2 or 'text'." : undefined),
  });
  if (value === undefined) {
    return;
  }
  const folder = vscode.workspace.getWorkspaceFolder(editor.document.uri);
  await vscode.debug.startDebugging(folder, {
    type: debugType,
    request: "launch",
    name: `neuraldbg: which inputs make ${f.name} return ${value.trim()}?`,
    program: editor.document.fileName,
    from: { event: "return", line: line + 1, value: value.trim() },
    samples,
    [goesBack]: true,
  });
}

/** The return to begin at: the cursor's, the only one, or the one that is chosen. */
async function chooseLine(
  editor: vscode.TextEditor,
  name: string,
  returns: readonly number[],
): Promise<number | undefined> {
  const cursor = editor.selection.active.line;
  if (returns.includes(cursor) || returns.length === 1) {
    return returns.includes(cursor) ? cursor : returns[0];
  }
  const choice = await vscode.window.showQuickPick(
    returns.map((line) => ({
      label: editor.document.lineAt(line).text.trim(),
      description: `line ${line + 1}`,
      line,
    })),
    { title: `Where does ${name} return?` },
  );
  return choice?.line;
}

/** Goes back from the first stop of every run that the command has launched. */
export class GoesBack implements vscode.DebugAdapterTrackerFactory {
  createDebugAdapterTracker(session: vscode.DebugSession): vscode.DebugAdapterTracker | undefined {
    if (session.configuration[goesBack] !== true) {
      return undefined;
    }
    let begun = false;
    return {
      onDidSendMessage(message: { event?: string; command?: string }) {
        if (message.event === modelEvent) {
          begun = true;
        } else if (begun && message.command === "stackTrace") {
          // Now VS Code knows that the session is stopped. Its own command tells
          // it that the session goes on, too; a request of ours would not.
          begun = false;
          void vscode.commands.executeCommand("workbench.action.debug.reverseContinue");
        }
      },
    };
  }
}
