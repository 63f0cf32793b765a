import { oneLine } from "../contract/one-line.js";
import type { ReportEvent } from "./events.js";
import { DUPLICATE_ITEM, findDuplicates } from "../validation/array-checks.js";
import { findIssues, type Issue, type Schema } from "../validation/schema.js";
import type { OutputMode } from "../contract/connection.js";

export const DEFAULT_OUTPUT_MODE: OutputMode = "tolerant";

/** A closed object may be a map in truth, with as many keys as there is data. */
const MOST_KEYS = 50;
const LONGEST_KEY = 300;

/**
 * The misfits of an answer that count under a mode. Empty where the answer is as good as one that fits; unknown keys that
 * were tolerated are reported then.
 */
export async function validateOutput(
  output: Schema<unknown>,
  value: unknown,
  mode: OutputMode,
  report: ReportEvent,
): Promise<readonly Issue[]> {
  if (mode === "off") return [];
  const issues = await findIssues(output, value);
  if (issues.length === 0 || mode !== "tolerant") return issues;
  const keys = await findUnknownKeys(output, value);
  if (keys === undefined) return issues;
  const shown = keys.slice(0, MOST_KEYS).map((path) => oneLine(path.join("."), LONGEST_KEY));
  report("tool.output.unknown_keys", { keys: shown, keyCount: keys.length });
  return [];
}

/** The paths of the unknown keys, where they are all that is wrong; otherwise undefined. */
async function findUnknownKeys(
  output: Schema<unknown>,
  value: unknown,
): Promise<readonly (readonly string[])[] | undefined> {
  // Most answers fit, so this is loaded when one does not.
  const { removeUnknownKeys } = await import("../validation/tolerance/remove-unknown-keys.js");
  const { value: known, paths } = removeUnknownKeys(output, value);
  if (paths.length === 0) return undefined;
  const issues = await findIssues(output, known);
  return issues.every((issue) => isMadeByRemoval(issue, value)) ? paths : undefined;
}

/** Whether an item is a duplicate only without its unknown keys. */
function isMadeByRemoval({ path = [], message }: Issue, value: unknown): boolean {
  const keys = path.map((part) => (typeof part === "object" ? part.key : part));
  const index = keys.at(-1);
  if (message !== DUPLICATE_ITEM || typeof index !== "number") return false;
  let items: unknown = value;
  for (const key of keys.slice(0, -1)) {
    if (typeof items !== "object" || items === null) return false;
    items = Object.getOwnPropertyDescriptor(items, key)?.value;
  }
  return Array.isArray(items) && !findDuplicates(items).includes(index);
}
