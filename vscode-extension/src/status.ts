/**
 * The status item: which model predicts in the session that has the focus, and
 * on which device.
 */

import * as vscode from "vscode";

import { describe, modelEvent } from "./model";
import type { Model } from "./model";

export class ModelStatus implements vscode.Disposable {
  private readonly models = new Map<string, Model>(); // by session id
  private readonly item = vscode.window.createStatusBarItem("neuraldbg.model", vscode.StatusBarAlignment.Left);
  private readonly events: vscode.Disposable;

  constructor() {
    this.item.name = "neuraldbg: model";
    this.item.command = { title: "Settings", command: "workbench.action.openSettings", arguments: ["neuraldbg.model"] };
    this.events = vscode.Disposable.from(
      vscode.debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
        if (event === modelEvent) {
          this.models.set(session.id, body as Model);
          this.update();
        }
      }),
      vscode.debug.onDidTerminateDebugSession((session) => {
        this.models.delete(session.id);
        this.update();
      }),
      vscode.debug.onDidChangeActiveDebugSession(() => this.update()),
    );
  }

  dispose(): void {
    this.events.dispose();
    this.item.dispose();
  }

  private update(): void {
    const model = this.models.get(vscode.debug.activeDebugSession?.id ?? "");
    if (model === undefined) {
      this.item.hide();
      return;
    }
    const { text, tooltip } = describe(model);
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.show();
  }
}
