/**
 * Launch configurations, without the editor: what a user may leave out, and
 * what is wrong before the adapter is even started. The adapter checks the
 * rest; its messages are better, because it has read the program.
 */

/** The debug type that package.json contributes. */
export const debugType = "neuraldbg";

/**
 * A launch configuration: the keys that are looked at here. package.json describes
 * all that `neuraldbg dap` reads; it tolerates the keys that VS Code adds.
 */
export interface LaunchConfiguration {
  type: string;
  name: string;
  request: string;
  program?: string;
  arguments?: Record<string, string>;
  model?: string;
  stopOnEntry?: boolean;
  [key: string]: unknown;
}

/** What the editor knows at the moment of F5. */
export interface EditorContext {
  /** Path of the file in the active editor, if it is Python. */
  activePythonFile?: string;
  /** The setting `neuraldbg.model`. */
  defaultModel?: string;
}

/** A configuration ready to launch, or one line that says what to do. */
export type Resolution =
  | { configuration: LaunchConfiguration }
  | { problem: string };

/**
 * Fills in what the configuration leaves out. A configuration without type,
 * name and request is what VS Code passes when there is no launch.json: it
 * becomes "predict the file that is open".
 */
export function resolveConfiguration(
  given: Partial<LaunchConfiguration>,
  editor: EditorContext,
): Resolution {
  const empty = !given.type && !given.request && !given.name;
  if (empty && editor.activePythonFile === undefined) {
    return { problem: "Open a Python file first, or add a neuraldbg configuration to launch.json." };
  }
  const configuration: LaunchConfiguration = {
    ...given,
    type: given.type ?? debugType,
    name: given.name ?? "neuraldbg: predict this file",
    request: given.request ?? "launch",
  };
  if (configuration.request !== "launch") {
    return { problem: `neuraldbg has no request "${configuration.request}"; use "launch".` };
  }
  configuration.program ??= editor.activePythonFile ?? "";
  if (configuration.program === "") {
    return { problem: 'Set "program" to a Python file in launch.json, or open one.' };
  }
  configuration.model ??= editor.defaultModel ?? "nano";
  configuration.stopOnEntry ??= true;
  const badArgument = Object.entries(configuration.arguments ?? {}).find(
    ([, repr]) => typeof repr !== "string",
  );
  if (badArgument !== undefined) {
    const [name, value] = badArgument;
    return {
      problem: `"arguments" are Python reprs in strings: write "${name}": ${JSON.stringify(JSON.stringify(value))}.`,
    };
  }
  return { configuration };
}
