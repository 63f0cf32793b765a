import { locateInJson } from "../../core/json-text.js";
import { McpCodegenError } from "../../core/errors.js";
import {
  canonicalJson,
  byCodeUnit,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  tryParseJson,
} from "../../core/json.js";
import { printJson } from "../../core/printable.js";
import { locateJsonError } from "../../files/parse-json.js";

/** The version of the format of cassettes. */
export const CASSETTE_VERSION = 1;

/** The recorded calls of one tool: the file `<server>/<tool>.json` of a cassette. */
export interface CassetteFile {
  readonly cassetteVersion: typeof CASSETTE_VERSION;
  readonly server: string;
  readonly tool?: string;
  /** Instead of `tool`: the name of a prompt. */
  readonly prompt?: string;
  /** Instead of `tool`: a URI, or a URI template whose variables are the arguments. */
  readonly resource?: string;
  /** The version of the server's contract when the file was written; absent for a server without a lock. */
  readonly contract?: string;
  /** By canonical arguments. Calls with the same arguments are in the order in which they were made. */
  readonly calls: readonly CassetteCall[];
}

/** A recorded call: its arguments without secrets, and what the server answered. */
export type CassetteCall = CassetteAnswer & {
  readonly arguments: JsonObject;
  /** Milliseconds. Not updated when the same call gets the same answer. */
  readonly duration: number;
  /** How often in a row the call got this answer before another one; absent for once. */
  readonly times?: number;
};

/** The raw result of the request, also of a tool that reports a failure, or the error of JSON-RPC. */
export type CassetteAnswer = { readonly result: JsonObject } | { readonly error: CassetteError };

/** The error of JSON-RPC that a server answered with. */
interface CassetteError {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonValue;
}

/** The tool, prompt or resource of a file. */
export interface CassetteTool {
  readonly server: string;
  readonly kind?: "prompt" | "resource" | undefined;
  /** Its name, URI or URI template. */
  readonly tool: string;
}

/** Prints the text of a file: calls by their canonical arguments, keys of arguments in order, a final line end. */
export function printCassetteFile({ calls, ...head }: CassetteFile): string {
  const sorted = calls
    .map((call) => ({ call, key: keyOf(call) }))
    .sort((a, b) => byCodeUnit(a.key, b.key))
    .map(({ call, key }) => ({ ...call, arguments: JSON.parse(key) as JsonObject }));
  return `${printJson({ ...head, calls: sorted })}\n`;
}

/** Returns a key that is equal for calls with equal arguments. */
export function keyOf(call: { readonly arguments: JsonObject }): string {
  return canonicalJson(call.arguments);
}

/**
 * Returns the calls in the text of a file.
 *
 * @param name names the file in errors
 * @param expected the tool that the file is read for; any tool by default
 * @throws McpCodegenError `CASSETTE_INVALID`, with line and column; `CASSETTE_NEWER` for a later `cassetteVersion`
 */
export function parseCassetteFile(text: string, name: string, expected?: CassetteTool): CassetteFile {
  const read = readCassetteFile(text, expected);
  if ("file" in read) return read.file;
  const { line, column, reason, isNewer } = read.problem;
  throw isNewer
    ? new McpCodegenError("CASSETTE_NEWER", `"${name}" was written by a later mcp-codegen: ${reason}.`, {
        hint: "Update mcp-codegen.",
      })
    : new McpCodegenError("CASSETTE_INVALID", `"${name}" is invalid at ${line}:${column}: ${reason}.`, {
        hint: "Correct the line, or delete the file and record it again.",
      });
}

/** Why a text is not a cassette's file, and where. Lines and columns count from 1. */
export interface CassetteProblem {
  readonly line: number;
  readonly column: number;
  readonly reason: string;
  /** Whether a later version wrote the file. */
  readonly isNewer: boolean;
}

/** As {@link parseCassetteFile}, but returns the problem. */
export function readCassetteFile(
  text: string,
  expected?: CassetteTool,
): { readonly file: CassetteFile } | { readonly problem: CassetteProblem } {
  const value = tryParseJson(text);
  if (value === undefined) {
    // Without jsonc-parser, an optional dependency, the place is not known.
    const { line = 1, column = 1, reason = "not JSON" } = locateJsonError(text) ?? {};
    return {
      problem: { line, column, reason: isConflicted(text) ? "merge conflict" : reason, isNewer: false },
    };
  }
  const problem = findProblem(value, expected);
  if (problem === undefined) return { file: value as JsonValue & CassetteFile };
  const { pointer, reason, isNewer = false } = problem;
  return { problem: { ...positionIn(text, pointer), reason, isNewer } };
}

/** The line and the column of a value in a text, from its key. */
export function positionIn(text: string, pointer: string): Position {
  const region = locateInJson(text, [pointer]).get(pointer);
  return { line: region?.startLine ?? 1, column: region?.startColumn ?? 1 };
}

interface Position {
  readonly line: number;
  readonly column: number;
}

function isConflicted(text: string): boolean {
  return /^(?:<{7}|={7}|>{7})/m.test(text);
}

interface Problem {
  readonly pointer: string;
  readonly reason: string;
  readonly isNewer?: boolean;
}

function findProblem(file: JsonValue, expected: CassetteTool | undefined): Problem | undefined {
  if (!isJsonObject(file)) return { pointer: "", reason: "expected an object" };
  const version = getOwn(file, "cassetteVersion");
  if (typeof version === "number" && version > CASSETTE_VERSION)
    return { pointer: "/cassetteVersion", reason: `cassetteVersion ${version}`, isNewer: true };
  if (version !== CASSETTE_VERSION)
    return { pointer: "/cassetteVersion", reason: `expected "cassetteVersion": ${CASSETTE_VERSION}` };
  const named = ["prompt", "resource"].find((kind) => getOwn(file, kind) !== undefined) ?? "tool";
  for (const [key, wanted] of [
    ["server", expected?.server],
    [expected === undefined ? named : (expected.kind ?? "tool"), expected?.tool],
  ] as const) {
    const value = getOwn(file, key);
    if (typeof value !== "string") return { pointer: `/${key}`, reason: `expected "${key}" to be a string` };
    if (wanted !== undefined && value !== wanted)
      return {
        pointer: `/${key}`,
        reason: `expected ${key} ${JSON.stringify(wanted)}, found ${JSON.stringify(value)}`,
      };
  }
  const contract = getOwn(file, "contract");
  if (contract !== undefined && typeof contract !== "string")
    return { pointer: "/contract", reason: 'expected "contract" to be a string' };
  const calls = getOwn(file, "calls");
  if (!isJsonArray(calls)) return { pointer: "/calls", reason: 'expected "calls" to be an array' };
  for (const [index, call] of calls.entries()) {
    const problem = findCallProblem(call, `/calls/${index}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function findCallProblem(call: JsonValue, pointer: string): Problem | undefined {
  if (!isJsonObject(call)) return { pointer, reason: "expected an object" };
  if (!isJsonObject(getOwn(call, "arguments")))
    return { pointer: `${pointer}/arguments`, reason: 'expected "arguments" to be an object' };
  if (typeof getOwn(call, "duration") !== "number")
    return { pointer: `${pointer}/duration`, reason: 'expected "duration" to be a number' };
  const times = getOwn(call, "times");
  if (times !== undefined && !(Number.isSafeInteger(times) && Number(times) > 0))
    return { pointer: `${pointer}/times`, reason: 'expected "times" to be an integer of at least 1' };
  const [result, error] = [getOwn(call, "result"), getOwn(call, "error")];
  if ((result === undefined) === (error === undefined))
    return { pointer, reason: 'expected either "result" or "error"' };
  if (result !== undefined)
    return isJsonObject(result)
      ? undefined
      : { pointer: `${pointer}/result`, reason: 'expected "result" to be an object' };
  const isError =
    isJsonObject(error) &&
    typeof getOwn(error, "code") === "number" &&
    typeof getOwn(error, "message") === "string";
  return isError
    ? undefined
    : { pointer: `${pointer}/error`, reason: 'expected "error" to have a "code" and a "message"' };
}
