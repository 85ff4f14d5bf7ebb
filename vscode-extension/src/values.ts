/**
 * Values in the editor: beside the lines of the function that is stopped in,
 * and for the expression under the mouse.
 */

import * as vscode from "vscode";

import { debugType } from "./configuration";
import { codeOf, expressionAt, functionAt, namesIn } from "./python";

/**
 * Offers values while there is a session. Only then: VS Code drops its own way
 * of finding the expression under the mouse for a language that has a provider.
 */
export class ValueProviders implements vscode.Disposable {
  private readonly sessions = new Set<string>();
  private readonly events: vscode.Disposable;
  private providers: vscode.Disposable | undefined;

  constructor() {
    this.events = vscode.Disposable.from(
      vscode.debug.onDidStartDebugSession((session) => {
        if (session.type === debugType) {
          this.sessions.add(session.id);
          this.providers ??= register();
        }
      }),
      vscode.debug.onDidTerminateDebugSession((session) => {
        if (this.sessions.delete(session.id) && this.sessions.size === 0) {
          this.unregister();
        }
      }),
    );
  }

  dispose(): void {
    this.events.dispose();
    this.unregister();
  }

  private unregister(): void {
    this.providers?.dispose();
    this.providers = undefined;
  }
}

function register(): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.languages.registerInlineValuesProvider("python", { provideInlineValues }),
    vscode.languages.registerEvaluatableExpressionProvider("python", { provideEvaluatableExpression }),
  );
}

/** The names from the function's `def` to the line stopped at. */
function provideInlineValues(
  document: vscode.TextDocument,
  viewPort: vscode.Range,
  context: vscode.InlineValueContext,
): vscode.InlineValue[] {
  if (vscode.debug.activeDebugSession?.type !== debugType) {
    return [];
  }
  const code = codeOf(linesOf(document));
  const stopped = context.stoppedLocation.end.line;
  const first = functionAt(code, stopped)?.line ?? viewPort.start.line;
  return namesIn(code, first, stopped + 1).map(
    ({ name, line, start, end }) =>
      new vscode.InlineValueVariableLookup(new vscode.Range(line, start, line, end), name),
  );
}

function provideEvaluatableExpression(
  document: vscode.TextDocument,
  position: vscode.Position,
): vscode.EvaluatableExpression | undefined {
  const code = codeOf(linesOf(document))[position.line] ?? "";
  const span = expressionAt(code, position.character);
  if (span === undefined) {
    return undefined;
  }
  const range = new vscode.Range(position.line, span.start, position.line, span.end);
  return new vscode.EvaluatableExpression(range, document.getText(range));
}

/** The lines of a document. */
export function linesOf(document: vscode.TextDocument): string[] {
  return document.getText().split(/\r\n|\r|\n/);
}
