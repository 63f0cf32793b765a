import {
  canonicalJson,
  getOwn,
  isEqual,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../../core/json.js";
import { McpCodegenError } from "../../core/errors.js";
import { oneLine } from "../../core/printable.js";
import type { RecordedCalls } from "./cassette-folder.js";
import { keyOf, type CassetteCall, type CassetteTool } from "./cassette-file.js";
import { REDACTED } from "./redact.js";

/**
 * Returns the recorded calls with these arguments; undefined if there are none. The secrets of a session are known only while
 * recording, so a recorded "[redacted]" fits any text, unless several calls then fit.
 */
export function findRecordedCalls(
  calls: RecordedCalls,
  args: JsonObject,
): readonly CassetteCall[] | undefined {
  const exact = calls.get(keyOf({ arguments: args }));
  if (exact !== undefined) return exact;
  const fitting = [...calls.values()].filter(([call]) => call !== undefined && fits(call.arguments, args));
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** Whether a value equals a recorded one, except for redacted texts. */
function fits(recorded: JsonValue, value: JsonValue): boolean {
  if (typeof recorded === "string") return typeof value === "string" && fitsText(recorded, value);
  if (isJsonArray(recorded))
    return (
      isJsonArray(value) &&
      recorded.length === value.length &&
      recorded.every((item, index) => fits(item, value[index] ?? null))
    );
  if (!isJsonObject(recorded)) return recorded === value;
  if (!isJsonObject(value)) return false;
  const keys = Object.keys(recorded);
  return (
    keys.length === Object.keys(value).length &&
    keys.every((key) => Object.hasOwn(value, key) && fits(recorded[key] ?? null, value[key] ?? null))
  );
}

function fitsText(recorded: string, text: string): boolean {
  if (recorded === text) return true;
  const pieces = recorded.split(REDACTED);
  const [first = "", last = ""] = [pieces[0], pieces.at(-1)];
  if (pieces.length === 1 || !text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const offset = text.indexOf(piece, at);
    if (offset === -1) return false;
    at = offset + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** Returns the recorded arguments that differ least, with the names of those that do. */
function findNearest(calls: RecordedCalls, args: JsonObject) {
  const first = [...calls.values()].flatMap(([call]) => call ?? []);
  const compared = first.map(({ arguments: recorded }) => {
    const names = Object.keys({ ...recorded, ...args }).filter((name) => {
      const before = getOwn(recorded, name);
      const now = getOwn(args, name);
      return before === undefined || now === undefined || !isEqual(before, now);
    });
    return { recorded, names: names.sort() };
  });
  return compared.sort((a, b) => a.names.length - b.names.length).at(0);
}

const LONGEST = 200;
const MOST_NAMES = 5;

/** Returns the error for a call that is not in a cassette. It names the nearest recorded call. */
export function notRecorded(
  folder: string,
  { server, kind, tool }: CassetteTool,
  { calls, args }: { readonly calls: RecordedCalls; readonly args: JsonObject },
): McpCodegenError {
  const noun = kind === undefined ? "Tool" : kind === "prompt" ? "Prompt" : "Resource";
  const what = `${noun} ${JSON.stringify(tool)} of server ${JSON.stringify(server)}`;
  const where = `cassette ${JSON.stringify(folder)}`;
  const hint = `Pass mode: "new" and run once with the server, or set MCP_CODEGEN_RECORD=${folder}.`;
  const nearest = findNearest(calls, args);
  if (nearest === undefined)
    return new McpCodegenError("CALL_NOT_RECORDED", `${what} has no calls in ${where}.`, { hint });
  const [shown, recorded] = [args, nearest.recorded].map((value) => oneLine(canonicalJson(value), LONGEST));
  const count = calls.size === 1 ? "The recorded call" : `The nearest of ${calls.size} recorded calls`;
  const { names } = nearest;
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : "";
  const listed = names.slice(0, MOST_NAMES).map((name) => JSON.stringify(oneLine(name, LONGEST)));
  const differs =
    names.length === 0 ? "differs only in redacted values" : `differs in ${listed.join(", ")}${more}`;
  return new McpCodegenError(
    "CALL_NOT_RECORDED",
    `${what} was ${kind === undefined ? "called" : "requested"} with ${shown}, which is not in ${where}. ${count}, ${recorded}, ${differs}.`,
    { hint },
  );
}
