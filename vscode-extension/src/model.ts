/**
 * Which model predicts, as the adapter tells it.
 */

/** The name of the adapter's event. It comes at the beginning of every run. */
export const modelEvent = "neuraldbg/model";

/** The body of the event. */
export interface Model {
  name: string;
  /** For people: kind and size. */
  detail?: string;
  /** `cpu`, `cuda:0`; absent where nothing is computed. */
  device?: string;
}

/** The text of the status item, and what it says at length. */
export function describe(model: Model): { text: string; tooltip: string } {
  const device = model.device === undefined ? "" : ` on ${model.device}`;
  const detail = model.detail === undefined ? "" : ` (${model.detail})`;
  return {
    text: `$(lightbulb) ${model.name}${device}`,
    tooltip: `neuraldbg: states are predicted by ${model.name}${detail}${device}. Nothing is executed.`,
  };
}
