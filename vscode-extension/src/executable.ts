/**
 * Finding the `neuraldbg` command, without the editor.
 */

import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";

/** Where to look for the command. */
export interface SearchContext {
  /** The setting `neuraldbg.path`: a command name or a path. */
  setting: string;
  /** The folder against which a relative path is resolved. */
  workspaceFolder?: string | undefined;
  /** The PATH variable. */
  searchPath: string;
  /** As `process.platform`. */
  platform: NodeJS.Platform;
  /** Whether a path is a file that can be run. */
  isExecutable: (file: string) => boolean;
}

/**
 * The absolute path of the command, or one line that says what to do; with a
 * build in the workspace that may be offered.
 */
export type Found = { command: string } | { problem: string; offer?: string };

/**
 * Resolves the setting as a shell would: a bare name is looked up in PATH,
 * anything with a separator is a path, where `~` and `${workspaceFolder}` are
 * expanded. A workspace's own `bin/neuraldbg` is only offered: a folder that one
 * opens must not choose what is executed.
 */
export function findExecutable(context: SearchContext): Found {
  const setting = context.setting.trim() || "neuraldbg";
  const suffixes = context.platform === "win32" ? ["", ".exe"] : [""];
  for (const candidate of candidates(setting, context)) {
    for (const suffix of suffixes) {
      if (context.isExecutable(candidate + suffix)) {
        return { command: candidate + suffix };
      }
    }
  }
  const place = isBareName(setting)
    ? `there is no "${setting}" in PATH`
    : `"${setting}" is not a file that can be run`;
  const problem =
    `neuraldbg was not found: ${place}. ` +
    'Build it with "make build" and set "neuraldbg.path" to its bin/neuraldbg.';
  const offer = workspaceBuild(context);
  return offer === undefined ? { problem } : { problem, offer };
}

/** What `make build` leaves in the workspace, when that is a checkout of neuraldbg. */
function workspaceBuild(context: SearchContext): string | undefined {
  if (context.workspaceFolder === undefined) {
    return undefined;
  }
  const build = path.join(context.workspaceFolder, "bin", "neuraldbg");
  return context.isExecutable(build) ? build : undefined;
}

function candidates(setting: string, context: SearchContext): string[] {
  if (isBareName(setting)) {
    return context.searchPath
      .split(context.platform === "win32" ? ";" : ":")
      .filter((folder) => path.isAbsolute(folder))
      .map((folder) => path.join(folder, setting));
  }
  let expanded = setting.replace(/^~(?=[/\\])/, () => os.homedir());
  if (context.workspaceFolder !== undefined) {
    const folder = context.workspaceFolder;
    expanded = expanded.replaceAll("${workspaceFolder}", () => folder);
    expanded = path.resolve(folder, expanded);
  }
  return path.isAbsolute(expanded) ? [expanded] : [];
}

function isBareName(setting: string): boolean {
  return !/[/\\]/.test(setting);
}

/** Whether the file exists and this user may run it. */
export function isExecutableFile(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
