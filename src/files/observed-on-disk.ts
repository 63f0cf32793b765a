import { McpCodegenError } from "../core/errors.js";
import {
  getOwn,
  isJsonObject,
  mapEntries,
  mapSorted,
  type JsonObject,
  type JsonValue,
} from "../core/json.js";
import { formatKeyPath } from "../core/json-pointer.js";
import {
  NOTHING_OBSERVED,
  OBSERVED_NAME,
  OBSERVED_VERSION,
  type Observed,
  type ObservedTool,
} from "../core/observed.js";
import { parseJson } from "./parse-json.js";
import { findBounded } from "./read-bounded.js";
import { writeAtomic } from "./write-atomic.js";

/**
 * Returns the observations at a path; none when the file does not exist.
 *
 * @throws McpCodegenError `OBSERVED_INVALID`, in one line with the place; `FILE_FAILED`
 */
export async function readObserved(path: string): Promise<Observed> {
  const bytes = await findBounded(path);
  return bytes === undefined ? NOTHING_OBSERVED : parseObserved(bytes.toString("utf8"));
}

/** Parses a file of observations. Throws `OBSERVED_INVALID` as {@link readObserved} does. */
export function parseObserved(text: string): Observed {
  const parsed = parseJson(text);
  if ("value" in parsed) return readRoot(parsed.value);
  const { line, column, reason } = parsed.problem;
  throw invalid(`is not JSON at line ${line}, column ${column}: ${reason}`);
}

/** Writes observations, sorted. Throws `FILE_FAILED` and then leaves the old file unchanged. */
export async function writeObserved(path: string, observed: Observed): Promise<void> {
  await writeAtomic(path, formatObserved(observed));
}

/** Returns the text of a file of observations: sorted, keys in a fixed order, two spaces, a final newline. */
export function formatObserved({ servers }: Observed): string {
  const tool = ({ digest, samples, answers, schema }: ObservedTool): object => ({
    digest,
    samples,
    answers,
    schema,
  });
  const written = mapSorted(servers, (tools) => mapSorted(tools, tool));
  return `${JSON.stringify({ observedVersion: OBSERVED_VERSION, servers: written }, null, 2)}\n`;
}

function readRoot(root: JsonValue): Observed {
  const version = getOwn(object(root, []), "observedVersion");
  if (typeof version === "number" && version > OBSERVED_VERSION)
    throw invalid(
      `has observedVersion ${version}; this mcp-codegen reads up to ${OBSERVED_VERSION}`,
      'Run "npm install --save-dev mcp-codegen@latest".',
    );
  if (version !== OBSERVED_VERSION) throw invalidAt(["observedVersion"], `expected ${OBSERVED_VERSION}`);
  const servers = object(getOwn(object(root, []), "servers"), ["servers"]);
  return {
    observedVersion: OBSERVED_VERSION,
    servers: mapEntries(servers, (tools, server) =>
      mapEntries(object(tools, ["servers", server]), (tool, name) =>
        parseTool(tool, ["servers", server, name]),
      ),
    ),
  };
}

const KEYS = ["digest", "samples", "answers", "schema"];

function parseTool(value: JsonValue, path: readonly string[]): ObservedTool {
  const tool = object(value, path);
  const unknown = Object.keys(tool).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw invalidAt([...path, unknown], "not a key of an observation");
  const [digest, samples, answers] = ["digest", "samples", "answers"].map((key) => getOwn(tool, key));
  if (typeof digest !== "string") throw invalidAt([...path, "digest"], "expected a digest");
  if (typeof samples !== "number" || !Number.isInteger(samples) || samples < 1)
    throw invalidAt([...path, "samples"], "expected a whole number from 1");
  if (answers !== "structured" && answers !== "json" && answers !== "text")
    throw invalidAt([...path, "answers"], 'expected "structured", "json" or "text"');
  if (answers === "text") return { digest, samples, answers };
  return { digest, samples, answers, schema: object(getOwn(tool, "schema"), [...path, "schema"]) };
}

function object(value: JsonValue | undefined, path: readonly string[]): JsonObject {
  if (isJsonObject(value)) return value;
  throw invalidAt(path, "expected an object");
}

function invalidAt(path: readonly string[], problem: string): McpCodegenError {
  const where = formatKeyPath(path);
  return invalid(`is not valid${where === "" ? "" : ` at ${where}`}: ${problem}`);
}

function invalid(problem: string, hint?: string): McpCodegenError {
  return new McpCodegenError("OBSERVED_INVALID", `"${OBSERVED_NAME}" ${problem}.`, {
    hint: hint ?? 'Take it from version control, or delete it and run "npx mcp-codegen learn".',
  });
}
