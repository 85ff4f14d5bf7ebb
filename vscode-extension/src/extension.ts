/**
 * The extension: it tells VS Code how to start `neuraldbg dap`, completes launch
 * configurations, and shows in the editor what the adapter says. All debugging
 * is the adapter's.
 */

import * as vscode from "vscode";

import { debugType, resolveConfiguration } from "./configuration";
import type { EditorContext } from "./configuration";
import { findExecutable, isExecutableFile } from "./executable";
import type { Found } from "./executable";
import { GoesBack, inferCommand, inferInputs } from "./infer";
import { ModelStatus } from "./status";
import { ValueProviders } from "./values";

export function activate(context: vscode.ExtensionContext): void {
  context.subscriptions.push(
    vscode.debug.registerDebugConfigurationProvider(debugType, new ConfigurationProvider()),
    vscode.debug.registerDebugAdapterDescriptorFactory(debugType, new AdapterFactory()),
    vscode.debug.registerDebugAdapterTrackerFactory(debugType, new GoesBack()),
    vscode.commands.registerCommand(inferCommand, inferInputs),
    new ModelStatus(),
    new ValueProviders(),
  );
}

class ConfigurationProvider implements vscode.DebugConfigurationProvider {
  /** Completes a configuration; undefined, after a message, gives up. */
  async resolveDebugConfiguration(
    folder: vscode.WorkspaceFolder | undefined,
    given: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    const resolution = resolveConfiguration(given, editorContext(folder));
    if ("problem" in resolution) {
      void vscode.window.showErrorMessage(resolution.problem);
      return undefined;
    }
    return (await commandIsThere(folder)) ? resolution.configuration : undefined;
  }
}

class AdapterFactory implements vscode.DebugAdapterDescriptorFactory {
  createDebugAdapterDescriptor(session: vscode.DebugSession): vscode.DebugAdapterDescriptor {
    const found = find(session.workspaceFolder);
    if ("problem" in found) {
      throw new Error(found.problem);
    }
    const cwd = session.workspaceFolder?.uri.fsPath;
    const options: vscode.DebugAdapterExecutableOptions = cwd === undefined ? {} : { cwd };
    return new vscode.DebugAdapterExecutable(found.command, ["dap"], options);
  }
}

/** Looks for the command as a session will. */
function find(folder: vscode.WorkspaceFolder | undefined): Found {
  return findExecutable({
    setting: settings(folder).get<string>("path", "neuraldbg"),
    workspaceFolder: folder?.uri.fsPath,
    searchPath: process.env["PATH"] ?? "",
    platform: process.platform,
    isExecutable: isExecutableFile,
  });
}

/**
 * Whether there is a command to run. Where there is none, the user is told, and
 * may choose the workspace's own build or be led to the setting.
 */
async function commandIsThere(folder: vscode.WorkspaceFolder | undefined): Promise<boolean> {
  const found = find(folder);
  if ("command" in found) {
    return true;
  }
  const open = "Open settings";
  const use = "Use this workspace's build";
  const choices = found.offer === undefined ? [open] : [use, open];
  switch (await vscode.window.showErrorMessage(found.problem, ...choices)) {
    case use:
      await settings(folder).update("path", found.offer, vscode.ConfigurationTarget.Workspace);
      return "command" in find(folder);
    case open:
      await vscode.commands.executeCommand("workbench.action.openSettings", "neuraldbg.path");
  }
  return false;
}

function editorContext(folder: vscode.WorkspaceFolder | undefined): EditorContext {
  const context: EditorContext = { defaultModel: settings(folder).get<string>("model", "nano") };
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId === "python") {
    context.activePythonFile = document.fileName;
  }
  return context;
}

function settings(folder: vscode.WorkspaceFolder | undefined): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration("neuraldbg", folder);
}
