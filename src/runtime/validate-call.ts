import { findIssues, type Issue, type Schema } from "../validation/schema.js";
import { explainIssue } from "../validation/explain-issue.js";
import { oneLine } from "../contract/one-line.js";
import { DUPLICATE_ITEM, findDuplicates } from "../validation/array-checks.js";
import type { OutputMode } from "../contract/connection.js";
import type { ToolDefinition, ToolDescription } from "./tool.js";
import type { ReportEvent } from "./events.js";

/**
 * What is sent, and what the input schema has against it. Some schemas refuse their own defaults: an input that fits
 * without them is sent without them.
 */
export async function validateInput(
  definition: ToolDefinition<unknown, unknown>,
  value: unknown,
): Promise<JudgedInput> {
  const judged = await judgeWithDefaults(definition, value);
  if (judged.issues.length === 0 || !hasPhpArrays(definition)) return judged;
  const read = await readEmptyObjects(definition.input, value);
  return read === value ? judged : judgeWithDefaults(definition, read);
}

interface JudgedInput {
  readonly value: unknown;
  readonly issues: readonly Issue[];
}

async function judgeWithDefaults(
  { input, defaults, inputSchema, dialect, formats }: ToolDefinition<unknown, unknown>,
  value: unknown,
): Promise<JudgedInput> {
  if (defaults !== "send") return { value, issues: await findIssues(input, value) };
  // It reads schemas as the generator does, which is much to load for those who leave defaults to the server.
  const { fillDefaults } = await import("../validation/fill-defaults.js");
  const filled = fillDefaults(value, inputSchema(), { dialect, formats });
  const issues = await findIssues(input, filled);
  if (issues.length === 0 || filled === value) return { value: filled, issues };
  const without = await findIssues(input, value);
  return without.length === 0 ? { value, issues: [] } : { value: filled, issues };
}

/**
 * What a call judges an input by: where absent keys are sent with their defaults, one that fits with them fits; in WordPress,
 * an empty list fits an object.
 */
export function callSchema(definition: ToolDescription<unknown, unknown>): Schema<unknown> {
  if (!isOfServer(definition) || (definition.defaults !== "send" && !hasPhpArrays(definition)))
    return definition.input;
  return {
    "~standard": {
      version: 1,
      vendor: "mcp-codegen",
      validate: async (value) => {
        const { issues } = await validateInput(definition, value);
        return issues.length === 0 ? { value } : { issues };
      },
    },
  };
}

function isOfServer(
  definition: ToolDescription<unknown, unknown>,
): definition is ToolDefinition<unknown, unknown> {
  return definition.server !== undefined;
}

/** Each round may lead into objects that were not judged before it. */
const MOST_ROUNDS = 20;

/** Whether a tool's values come from WordPress, where PHP writes an empty object as an empty list. */
export function hasPhpArrays(tool: Pick<ToolDescription<unknown, unknown>, "dialect">): boolean {
  return tool.dialect === "wordpress" || "through" in tool;
}

/**
 * Returns the value with `{}` in place of each `[]` that the schema refuses, where an empty object fits; otherwise the same
 * value.
 *
 * WordPress takes a PHP array for an object (`rest_is_object()` in `wp-includes/rest-api.php`), and PHP writes an empty array
 * as `[]`.
 */
export async function readEmptyObjects(schema: Schema<unknown>, value: unknown): Promise<unknown> {
  let read = value;
  let places = await findRefusedPlaces(schema, read);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const empty = places.filter((path) => isEmptyList(valueAt(read, path)));
    if (empty.length === 0) return read;
    const tried = replaceAll(read, empty);
    const refused = new Set((await findRefusedPlaces(schema, tried)).map(keyOf));
    // Where the empty object is refused as well, the list is what is wrong.
    const helpful = empty.filter((path) => !refused.has(keyOf(path)));
    if (helpful.length === 0) return read;
    read = replaceAll(read, helpful);
    places = await findRefusedPlaces(schema, read);
  }
  return read;
}

type Path = readonly PropertyKey[];

async function findRefusedPlaces(schema: Schema<unknown>, value: unknown): Promise<readonly Path[]> {
  const issues = await findIssues(schema, value);
  const paths = issues.flatMap(explainIssue).map(({ path }) => path);
  return [...new Map(paths.map((path) => [keyOf(path), path])).values()];
}

function keyOf(path: Path): string {
  return JSON.stringify(path.map(String));
}

function valueAt(value: unknown, path: Path): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== "object" || found === null) return undefined;
    found = Object.getOwnPropertyDescriptor(found, key)?.value;
  }
  return found;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Copies what leads to the places, and nothing else. */
function replaceAll(value: unknown, paths: readonly Path[]): unknown {
  if (paths.some((path) => path.length === 0)) return {};
  const below = new Map<string, Path[]>();
  for (const [key, ...rest] of paths) below.set(String(key), [...(below.get(String(key)) ?? []), rest]);
  const replace = (key: string, item: unknown): unknown => {
    const inside = below.get(key);
    return inside === undefined ? item : replaceAll(item, inside);
  };
  if (Array.isArray(value)) return value.map((item, index) => replace(String(index), item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replace(key, item)]));
}

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
  const items = valueAt(value, keys.slice(0, -1));
  return Array.isArray(items) && !findDuplicates(items).includes(index);
}
