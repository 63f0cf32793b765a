import { basename, resolve } from "node:path";
import { addAbortSignal } from "node:stream";
import { McpCodegenError } from "../../../contract/errors.js";
import { isJsonObject, type JsonObject } from "../../../contract/json.js";
import { parseJson } from "../../../files/parse-json.js";
import { readBounded, readStreamBounded } from "../../../files/read-bounded.js";
import { findInexactNumbers } from "../../../listing/find-inexact-numbers.js";
import type { Context } from "../../context.js";
import { joinFlagName } from "./flags/flag-paths.js";

/** Milliseconds until a message explains what the program waits for. */
const PATIENCE = 1_000;

/**
 * Returns the arguments of `--input`: JSON, `@` and the name of a JSON file, or `-` for stdin.
 *
 * @throws McpCodegenError `USAGE`
 */
export async function readInput(context: Context, given: string): Promise<JsonObject> {
  if (given === "-") return parseInput(await readStdin(context), "stdin");
  if (!given.startsWith("@")) return parseInput(given, "--input");
  const path = resolve(context.io.cwd, given.slice(1));
  const read = await readBounded(path).catch((cause: unknown) => {
    if (cause instanceof McpCodegenError) throw cause;
    throw new McpCodegenError("USAGE", `--input: cannot read "${basename(path)}".`, { cause });
  });
  return parseInput(read.toString("utf8"), `"${basename(path)}"`);
}

/** Returns the arguments from a pipe on stdin; `{}` without a pipe or input. */
export async function readPiped(context: Context): Promise<JsonObject> {
  if (context.io.stdin.isTTY === true) return {};
  const piped = await readStdin(context);
  return piped.trim() === "" ? {} : parseInput(piped, "stdin");
}

async function readStdin({ io }: Context): Promise<string> {
  const waiting = setTimeout(() => {
    io.stderr.write("Waiting for JSON arguments on stdin. Pass --input '{}' to call without arguments.\n");
  }, PATIENCE);
  try {
    return await readStreamBounded(
      io.signal === undefined ? io.stdin : addAbortSignal(io.signal, io.stdin),
      "stdin",
    );
  } finally {
    clearTimeout(waiting);
  }
}

function parseInput(given: string, from: string): JsonObject {
  const parsed = parseJson(given);
  if (!("value" in parsed)) {
    const { line, column, reason } = parsed.problem;
    throw new McpCodegenError(
      "USAGE",
      `${from} is not valid JSON (line ${line}, column ${column}): ${reason}.`,
      { hint: `For example: --input '{"per_page":10}', --input @args.json, or --input - for stdin.` },
    );
  }
  const { value } = parsed;
  if (!isJsonObject(value))
    throw new McpCodegenError("USAGE", `${from} is not a JSON object; arguments must be a JSON object.`);
  const [inexact] = findInexactNumbers(given);
  if (inexact !== undefined)
    throw new McpCodegenError(
      "USAGE",
      `${from}: ${inexact.token} at "${joinFlagName(inexact.path)}" cannot be sent without losing precision.`,
      { hint: "If the tool takes a string there, put the number in quotes." },
    );
  return value;
}
