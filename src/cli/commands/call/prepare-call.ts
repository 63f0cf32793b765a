import { basename, resolve } from "node:path";
import { addAbortSignal } from "node:stream";
import { decide, statedEffectOf } from "../../../agent/policy/decide.js";
import type { Policy } from "../../../agent/policy/policy.js";
import type { RegisteredTool } from "../../../agent/registry/registered-tool.js";
import { serverNameOf } from "../../../agent/registry/tool-names.js";
import { McpCodegenError } from "../../../core/errors.js";
import { getOwn, isJsonObject, type JsonObject } from "../../../core/json.js";
import { printable, printJson } from "../../../core/printable.js";
import type { FormatRule } from "../../../core/schema-ir.js";
import { EFFECT_WORDS } from "../../../core/describe-tool.js";
import { parseJson } from "../../../files/parse-json.js";
import { readBounded, readStreamBounded } from "../../../files/read-bounded.js";
import { findInexactNumbers } from "../../../client/listing/inexact-numbers.js";
import { count } from "../../../report/layout.js";
import { findIssues } from "../../../schema/validation/schema.js";
import { usageError } from "../../command-spec.js";
import type { Context } from "../../context.js";
import type { OpenedTools } from "../../open-tools.js";
import { wrapLines } from "../../print-text.js";
import { confirm } from "../../prompts.js";
import { joinFlagName } from "./flags/flag-paths.js";
import { readFlags } from "./flags/read-flags.js";
import { helpHint, type RequestedCall } from "./report-call-failure.js";

/** Milliseconds until a message explains the wait. */
const PATIENCE = 1_000;

/**
 * Reads the arguments of a call from its flags, `--input` and a pipe. They are not validated.
 *
 * @throws McpCodegenError `USAGE`
 */
export async function readCallArguments(context: Context, call: RequestedCall): Promise<JsonObject> {
  const { schema, words, options } = call;
  const takesNone = schema.members(schema.root).size === 0;
  const base =
    options.input !== undefined
      ? await readInput(context, options.input)
      : words.length > 0 || takesNone
        ? {}
        : await readPiped(context);
  const read = readFlags(words, schema, base);
  if ("args" in read) return read.args;
  const problems = read.problems.map(({ flag, message }) => `${flag} ${message}`.replace(/(?<!\?)$/, "."));
  throw usageError(problems.join("\n"), helpHint(call));
}

/** Returns the arguments of `--input`: JSON, `@` and the name of a JSON file, or `-` for stdin. */
async function readInput(context: Context, given: string): Promise<JsonObject> {
  if (given === "-") return parseInput(await readStdin(context), "stdin");
  if (!given.startsWith("@")) return parseInput(given, "--input");
  const path = resolve(context.io.cwd, given.slice(1));
  const read = await readBounded(path).catch((cause: unknown) => {
    if (cause instanceof McpCodegenError) throw cause;
    throw usageError(`--input: cannot read "${basename(path)}".`, undefined, cause);
  });
  return parseInput(read.toString("utf8"), `"${basename(path)}"`);
}

/** Returns the arguments from a pipe on stdin; `{}` without a pipe or input. */
async function readPiped(context: Context): Promise<JsonObject> {
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
    throw usageError(
      `${from} is not valid JSON (line ${line}, column ${column}): ${reason}.`,
      `For example: --input '{"per_page":10}', --input @args.json, or --input - for stdin.`,
    );
  }
  const { value } = parsed;
  if (!isJsonObject(value))
    throw usageError(`${from} is not a JSON object; arguments must be a JSON object.`);
  const [inexact] = findInexactNumbers(given);
  if (inexact !== undefined)
    throw usageError(
      `${from}: ${inexact.token} at "${joinFlagName(inexact.path)}" cannot be sent without losing precision.`,
      "If the tool takes a string there, put the number in quotes.",
    );
  return value;
}

/** Lines and characters of the arguments that are shown. */
const MOST_LINES = 40;
const LONGEST_LINE = 300;

/**
 * Whether `call` asks before it calls the tool: a tool that destroys or states no effect, or that writes although writes
 * are not enabled. The policy's default is for agents; here a person has typed the command.
 */
export function needsConfirmation(tool: RegisteredTool, policy: Policy): boolean {
  const effect = statedEffectOf(tool, policy);
  return effect !== "reads" && (effect !== "writes" || !decide(tool, policy).isAllowed);
}

/**
 * Shows what would be sent and asks, unless the call is confirmed, needs no confirmation or has invalid arguments.
 *
 * @throws McpCodegenError `CONFIRMATION_REQUIRED` where there is no terminal
 */
export async function mayCall(
  context: Context,
  { project, policy }: OpenedTools,
  { name, tool, options }: RequestedCall,
  args: JsonObject,
): Promise<boolean> {
  if (options.yes === true || !needsConfirmation(tool, policy)) return true;
  if ((await findIssues(tool.input, args)).length > 0) return true;
  const subject = `Tool ${JSON.stringify(name)} (${EFFECT_WORDS[statedEffectOf(tool, policy)]})`;
  if (!context.isInteractive) {
    throw new McpCodegenError("CONFIRMATION_REQUIRED", `${subject} requires confirmation.`, {
      hint: "Pass --yes to call it.",
    });
  }
  const settings = tool.server === undefined ? undefined : getOwn(project.config.servers, tool.server);
  const sent = settings?.defaults === "send" ? await addDefaults(tool, args, settings.formats) : args;
  const place = tool.server === undefined ? "" : ` of server ${serverNameOf(tool)}`;
  const environment = options.env === undefined ? "" : ` in environment ${printable(options.env)}`;
  const lines = [`${subject}${place}${environment} would get:`, ...printArguments(sent)];
  context.io.stderr.write(`${wrapLines(lines, context.io.stderr).join("\n")}\n`);
  return confirm(context, "Call it?", { initial: statedEffectOf(tool, policy) === "writes" });
}

/** As the call adds them. */
async function addDefaults(
  { inputSchema, dialect }: RegisteredTool,
  args: JsonObject,
  formats: FormatRule | undefined,
): Promise<unknown> {
  const { fillDefaults } = await import("../../../schema/validation/fill-defaults.js");
  return fillDefaults(args, inputSchema(), { dialect, formats });
}

/** Returns the lines that show arguments to a person. */
export function printArguments(args: unknown): readonly string[] {
  const lines = printJson(args).split("\n");
  const left = lines.length - MOST_LINES;
  return [
    ...lines.slice(0, MOST_LINES).map((line) => printable(line, LONGEST_LINE)),
    ...(left > 0 ? [`… and ${count(left, "line")} more`] : []),
  ];
}
