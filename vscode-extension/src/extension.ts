/**
 * The extension: it tells VS Code how to start `neuraldbg dap`, and completes
 * launch configurations. All debugging is the adapter's.
 */

import * as vscode from "vscode";

import { debugType, resolveConfiguration } from "./configuration";
import type { EditorContext } from "./configuration";
import { findExecutable, isExecutableFile } from "./executable";

export function activate(context: vscode.ExtensionContext): void {
  context.subscriptions.push(
    vscode.debug.registerDebugConfigurationProvider(debugType, new ConfigurationProvider()),
    vscode.debug.registerDebugAdapterDescriptorFactory(debugType, new AdapterFactory()),
  );
}

class ConfigurationProvider implements vscode.DebugConfigurationProvider {
  resolveDebugConfiguration(
    folder: vscode.WorkspaceFolder | undefined,
    given: vscode.DebugConfiguration,
  ): vscode.ProviderResult<vscode.DebugConfiguration> {
    const resolution = resolveConfiguration(given, editorContext(folder));
    if ("problem" in resolution) {
      void vscode.window.showErrorMessage(resolution.problem);
      return undefined;
    }
    return resolution.configuration;
  }
}

class AdapterFactory implements vscode.DebugAdapterDescriptorFactory {
  createDebugAdapterDescriptor(
    session: vscode.DebugSession,
  ): vscode.ProviderResult<vscode.DebugAdapterDescriptor> {
    const folder = session.workspaceFolder?.uri.fsPath;
    const found = findExecutable({
      setting: settings(session.workspaceFolder).get<string>("path", "neuraldbg"),
      workspaceFolder: folder,
      searchPath: process.env["PATH"] ?? "",
      platform: process.platform,
      isExecutable: isExecutableFile,
    });
    if ("problem" in found) {
      void offerSettings(found.problem);
      throw new Error(found.problem);
    }
    const options: vscode.DebugAdapterExecutableOptions = folder === undefined ? {} : { cwd: folder };
    return new vscode.DebugAdapterExecutable(found.command, ["dap"], options);
  }
}

async function offerSettings(problem: string): Promise<void> {
  const open = "Open settings";
  if ((await vscode.window.showErrorMessage(problem, open)) === open) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "neuraldbg.path");
  }
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
