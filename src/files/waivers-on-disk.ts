import { type Waiver, WAIVERS_NAME } from "../core/findings.js";
import { writeAtomic } from "./write-atomic.js";
import { findBounded } from "./read-bounded.js";
import { McpCodegenError } from "../core/errors.js";
import { omitUndefined } from "../core/collections.js";
import { byCodeUnit, getOwn, isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";
import { formatKeyPath } from "../core/json-pointer.js";
import { parseJson } from "./parse-json.js";

/**
 * Returns the waivers at a path; an empty list when the file does not exist.
 *
 * @throws McpCodegenError `WAIVERS_INVALID`, `FILE_FAILED`
 */
export async function readWaivers(path: string): Promise<readonly Waiver[]> {
  const bytes = await findBounded(path);
  return bytes === undefined ? [] : parseWaivers(bytes.toString("utf8"));
}

/**
 * Writes waivers, sorted, and keeps the `$schema` of the file. Throws `FILE_FAILED` and then leaves the old file
 * unchanged.
 */
export async function writeWaivers(path: string, waivers: readonly Waiver[]): Promise<void> {
  const bytes = await findBounded(path);
  await writeAtomic(path, formatWaivers(waivers, bytes && schemaOf(bytes.toString("utf8"))));
}

const HINT = "Correct it; its schema is node_modules/mcp-codegen/docs/schemas/waivers.schema.json.";

/**
 * Parses a file of waivers.
 *
 * @throws McpCodegenError `WAIVERS_INVALID`, in one line with the place
 */
function parseWaivers(text: string): readonly Waiver[] {
  const root = object(parseText(text), []);
  onlyKeys(root, ["$schema", "waivers"], []);
  const waivers = getOwn(root, "waivers");
  if (!Array.isArray(waivers)) throw invalid(["waivers"], "expected a list");
  return waivers.map((waiver: JsonValue, index) => parseWaiver(waiver, ["waivers", index]));
}

/** Returns where a valid file says that its schema is. */
function schemaOf(text: string): string | undefined {
  const schema = getOwn(object(parseText(text), []), "$schema");
  return typeof schema === "string" ? schema : undefined;
}

/** Returns the text of a file of waivers: sorted, keys in a fixed order, two spaces, a final newline. */
function formatWaivers(waivers: readonly Waiver[], $schema?: string): string {
  const keyOf = ({ server, tool = "", path, rule, digests }: Waiver): string =>
    [server, tool, path, rule, digests.before ?? "", digests.after ?? ""].join("\0");
  const sorted = [...waivers].sort((a, b) => byCodeUnit(keyOf(a), keyOf(b)));
  const written = sorted.map(({ rule, server, tool, path, digests, reason, expires }) => ({
    rule,
    server,
    tool,
    path,
    digests: { before: digests.before, after: digests.after },
    reason,
    expires,
  }));
  return `${JSON.stringify({ $schema, waivers: written }, null, 2)}\n`;
}

function parseText(text: string): JsonValue {
  const parsed = parseJson(text);
  if ("value" in parsed) return parsed.value;
  const { line, column, reason } = parsed.problem;
  throw new McpCodegenError(
    "WAIVERS_INVALID",
    `"${WAIVERS_NAME}" is not JSON at line ${line}, column ${column}: ${reason}.`,
    { hint: HINT },
  );
}

type Path = readonly (string | number)[];

function parseWaiver(value: JsonValue, at: Path): Waiver {
  const waiver = object(value, at);
  onlyKeys(waiver, ["rule", "server", "tool", "path", "digests", "reason", "expires"], at);
  const tool = optionalText(waiver, "tool", at);
  const expires = optionalText(waiver, "expires", at);
  if (expires !== undefined && !isDay(expires)) {
    throw invalid([...at, "expires"], "expected a date such as 2026-12-31");
  }
  const path = text(waiver, "path", at);
  if (path !== "" && !path.startsWith("/"))
    throw invalid([...at, "path"], "expected a JSON Pointer, or nothing");
  const reason = text(waiver, "reason", at);
  if (reason.trim() === "") throw invalid([...at, "reason"], "say why");
  const digests = parseDigests(getOwn(waiver, "digests"), [...at, "digests"]);
  return omitUndefined({
    rule: text(waiver, "rule", at),
    server: text(waiver, "server", at),
    tool,
    path,
    digests,
    reason,
    expires,
  });
}

function parseDigests(value: JsonValue | undefined, at: Path): Waiver["digests"] {
  const digests = object(value, at);
  onlyKeys(digests, ["before", "after"], at);
  const [before, after] = (["before", "after"] as const).map((side) => {
    const digest = optionalText(digests, side, at);
    if (digest !== undefined && !/^sha256-[\da-f]{64}$/.test(digest)) {
      throw invalid([...at, side], "expected a digest such as sha256-…, from check --json");
    }
    return digest;
  });
  return omitUndefined({ before, after });
}

function isDay(text: string): boolean {
  const day = Date.parse(`${text}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(day) && new Date(day).toISOString().startsWith(text);
}

function object(value: JsonValue | undefined, at: Path): JsonObject {
  if (isJsonObject(value)) return value;
  throw invalid(at, "expected an object");
}

function text(parent: JsonObject, key: string, at: Path): string {
  const value = getOwn(parent, key);
  if (typeof value === "string") return value;
  throw invalid([...at, key], "expected a string");
}

function optionalText(parent: JsonObject, key: string, at: Path): string | undefined {
  return Object.hasOwn(parent, key) ? text(parent, key, at) : undefined;
}

function onlyKeys(value: JsonObject, known: readonly string[], at: Path): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw invalid([...at, unknown], `unknown key; known keys: ${known.join(", ")}`);
}

function invalid(at: Path, problem: string): McpCodegenError {
  const where = formatKeyPath(at);
  return new McpCodegenError(
    "WAIVERS_INVALID",
    `"${WAIVERS_NAME}" is not valid${where === "" ? "" : ` at ${where}`}: ${problem}.`,
    { hint: HINT },
  );
}
