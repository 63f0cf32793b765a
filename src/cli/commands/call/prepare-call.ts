import { basename, resolve } from "node:path";
import { addAbortSignal } from "node:stream";
import { statedEffectOf } from "../../../core/decide.js";
import type { RegisteredTool } from "../../../core/tool.js";
import { commandToCheck, serverNameOf } from "../../../core/tool-name.js";
import { EFFECT_WORDS } from "../../../core/snapshot.js";
import { McpCodegenError } from "../../../core/errors.js";
import { findInexactNumbers } from "../../../core/exact-json.js";
import { isJsonObject, type JsonObject } from "../../../core/json.js";
import { printable } from "../../../core/printable.js";
import { parseJson } from "../../../files/parse-json.js";
import { readStreamBounded, readTextBounded } from "../../../files/read-files.js";
import type { CallFailure } from "../../../report/documents.js";
import { printError, quoteForShell } from "../../../report/layout.js";
import { isUnsent, OWN_LIMIT } from "../../../runtime/client/caller.js";
import type { InputQuestion } from "../../../core/input-question.js";
import type { ToolError, ToolErrorCode } from "../../../core/call.js";
import { explainIssue, validate } from "../../../schema/validation/schema.js";
import { usageError } from "../../command-spec.js";
import { type Context, createPaint, printOnStderr } from "../../context.js";
import { needsConfirmation, type OpenedTools } from "../../open-tools.js";
import type { OptionValues } from "../../options.js";
import { printCommand } from "../../print-text.js";
import { confirm, printArguments } from "../../prompts.js";
import type { ArgumentSchema } from "./flags/argument-schema.js";
import { readFlags } from "./flags/read-flags.js";
import { answerWords, printQuestion } from "./questions.js";
import type { CALL_FLAGS } from "./spec.js";

/** Milliseconds until a message explains the wait. */
const PATIENCE = 1_000;

/**
 * Reads the arguments of a call from its flags, `--input` and a pipe. They are not validated.
 *
 * @throws McpCodegenError `USAGE`
 */
export async function readCallArguments(context: Context, call: RequestedCall): Promise<JsonObject> {
  const { schema, words, options } = call;
  const takesNone = schema.names.size === 0;
  const base =
    options.input !== undefined
      ? await readInput(context, options.input)
      : words.length > 0 || takesNone
        ? {}
        : await readPiped(context);
  try {
    return readFlags(words, schema, base);
  } catch (error) {
    throw error instanceof McpCodegenError ? usageError(error.message, helpHint(call)) : error;
  }
}

/** Returns the arguments of `--input`: JSON, `@` and the name of a JSON file, or `-` for stdin. */
async function readInput(context: Context, source: string): Promise<JsonObject> {
  if (source === "-") return parseInput(await readStdin(context), "stdin");
  if (!source.startsWith("@")) return parseInput(source, "--input");
  const path = resolve(context.io.cwd, source.slice(1));
  const read = await readTextBounded(path, (cause) =>
    usageError(`--input: cannot read "${basename(path)}".`, undefined, cause),
  );
  return parseInput(read, `"${basename(path)}"`);
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

function parseInput(text: string, from: string): JsonObject {
  const parsed = parseJson(text);
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
  const [inexact] = findInexactNumbers(text);
  if (inexact !== undefined)
    throw usageError(
      `${from}: ${inexact.token} at "${inexact.path.join(".")}" cannot be sent without losing precision.`,
      "If the tool takes a string there, put the number in quotes.",
    );
  return value;
}

/**
 * Shows what would be sent and asks, unless the call is confirmed, needs no confirmation or has invalid arguments.
 *
 * @throws McpCodegenError `CONFIRMATION_REQUIRED` where there is no terminal
 */
export async function mayCall(
  context: Context,
  { policy }: OpenedTools,
  { name, tool, options }: RequestedCall,
  args: JsonObject,
): Promise<boolean> {
  if (options.yes === true || !needsConfirmation(tool, policy)) return true;
  const isSent = options.validateInput === "warn";
  const validated = await validate(tool.input, args);
  if (!isSent && validated.issues !== undefined) return true;
  const subject = `Tool ${JSON.stringify(name)} (${EFFECT_WORDS[statedEffectOf(tool, policy)]})`;
  if (!context.isInteractive)
    throw new McpCodegenError("CONFIRMATION_REQUIRED", `${subject} requires confirmation.`, {
      hint: "Pass --yes to call it.",
    });
  const sent = validated.issues === undefined ? validated.value : args;
  const place = tool.server === undefined ? "" : ` of server ${serverNameOf(tool)}`;
  const environment = options.env === undefined ? "" : ` in environment ${printable(options.env)}`;
  printOnStderr(context, [`${subject}${place}${environment} would get:`, ...printArguments(sent)]);
  return confirm(context, "Call it?", { initial: statedEffectOf(tool, policy) === "writes" });
}

/** One call as the command line describes it. */
export interface RequestedCall {
  readonly name: string;
  /** The options that name the tool's server on a command line. */
  readonly serverWords: readonly string[];
  readonly tool: RegisteredTool;
  readonly schema: ArgumentSchema;
  readonly words: readonly string[];
  readonly options: OptionValues<typeof CALL_FLAGS>;
}

type CallRefusal = Pick<ToolError, "code" | "message" | "retryable" | "issues" | "questions" | "cause"> & {
  readonly hint?: string | undefined;
};

/** Prints why a call failed, and returns the exit code. Rethrows an error in the user's settings, for the common report. */
export function reportCallFailure(context: Context, call: RequestedCall, error: CallRefusal): number {
  if (error.cause instanceof McpCodegenError && error.cause.exitCode === 2) throw error.cause;
  const failure = describeFailure(call, error);
  const exitCode = EXIT_CODES[error.code];
  const paint = createPaint(context.io.stderr, context.io, context.options);
  const questions = (error.questions ?? []).flatMap(printQuestion);
  if (questions.length > 0) context.io.stderr.write(`${questions.join("\n")}\n`);
  printOnStderr(context, printError(withIssues(failure), paint));
  return context.report({ report: "call", exitCode, ...callAddress(call), error: failure });
}

/** 1 if the tool failed, 2 for invalid input or settings, 3 if the outcome is unknown. */
const EXIT_CODES: { readonly [C in ToolErrorCode]: 1 | 2 | 3 } = {
  TOOL_INVALID_INPUT: 2,
  TOOL_NOT_ALLOWED: 2,
  WRITES_DISABLED: 2,
  INPUT_REQUIRED: 2,
  TOOL_NOT_IMPLEMENTED: 2,
  CALL_NOT_RECORDED: 2,
  TOOL_NOT_FOUND: 1,
  TOOL_EXECUTION_FAILED: 1,
  TOOL_INVALID_OUTPUT: 1,
  CONTRACT_DRIFT: 1,
  TOOL_UNAVAILABLE: 3,
};

/** A wrong list has an issue for each item; the first ones are enough. */
const MOST_ISSUES = 20;

function describeFailure(call: RequestedCall, error: CallRefusal): CallFailure {
  const { name } = call;
  const { code, message, retryable, cause } = error;
  const explained = (error.issues ?? []).slice(0, MOST_ISSUES).flatMap(explainIssue).slice(0, MOST_ISSUES);
  const issues = explained.map((issue) => ({
    path: issue.path.map((key) => (typeof key === "symbol" ? String(key) : key)),
    message: issue.message,
  }));
  const isRejected = code === "TOOL_INVALID_INPUT" && issues.length > 0;
  // The message of a lost connection also has the hint and the server's stderr, which are printed on their own lines.
  const lost = code === "TOOL_UNAVAILABLE" && cause instanceof McpCodegenError ? cause : undefined;
  const shown =
    lost === undefined ? message : `Tool ${JSON.stringify(name)} could not be called: ${lost.message}`;
  return {
    code,
    message: isRejected ? `Invalid arguments for tool ${JSON.stringify(name)}; nothing was sent.` : shown,
    hint:
      error.hint ??
      (mayHaveRun(call.tool, lost) ? MAY_HAVE_RUN : lost?.hint?.replace(OWN_LIMIT, "--timeout")) ??
      hintForQuestions(error.questions ?? []) ??
      hintFor(code, call),
    stderr: lost !== undefined && lost.stderr.length > 0 ? lost.stderr : undefined,
    retryable,
    issues: issues.length > 0 ? issues : undefined,
    questions: error.questions?.map(toQuestionDocument),
  };
}

const MAY_HAVE_RUN = "The tool may have run: check that before you call it again. --timeout waits longer.";

/** Whether a tool that does not only read was called, and its answer is missing. */
function mayHaveRun({ annotations }: RegisteredTool, lost: McpCodegenError | undefined): boolean {
  return lost?.code === "SERVER_TIMEOUT" && !isUnsent(lost) && annotations?.readOnlyHint !== true;
}

function toQuestionDocument(question: InputQuestion): NonNullable<CallFailure["questions"]>[number] {
  const { kind, message } = question;
  if (kind === "url") return { kind, message, url: question.url, host: question.host };
  return { kind, message, schema: question.schema };
}

function hintForQuestions(questions: readonly InputQuestion[]): string | undefined {
  if (questions.length === 0) return undefined;
  const words = [...new Set(questions.flatMap(answerWords))];
  const first = questions.some(({ kind }) => kind === "url") ? "Open the address, then run" : "Run";
  return `${first} the command again with ${words.map((word) => `--answer ${quoteForShell(word)}`).join(" ")}.`;
}

function withIssues({ issues = [], ...failure }: CallFailure): Parameters<typeof printError>[0] {
  const { code, message, hint } = failure;
  if (code !== "TOOL_INVALID_INPUT") return failure;
  const lines = issues.map((issue) =>
    issue.path.length === 0
      ? issue.message
      : `${issue.path.length === 1 ? "--" : ""}${issue.path.join(".")}: ${issue.message}`,
  );
  return { message: [message, ...lines].join("\n"), hint };
}

function hintFor(code: ToolErrorCode, call: RequestedCall): string | undefined {
  const { server } = call.tool;
  const differs =
    call.serverWords.length > 0 || server === undefined
      ? undefined
      : `Run "${commandToCheck(server, call.options.env)}" to see how the server and the lock differ.`;
  const hints: { readonly [C in ToolErrorCode]?: string | undefined } = {
    TOOL_INVALID_INPUT: helpHint(call),
    TOOL_NOT_FOUND: differs,
    TOOL_INVALID_OUTPUT: differs,
    CONTRACT_DRIFT: differs,
    TOOL_NOT_ALLOWED: 'See "policy" in the configuration.',
    WRITES_DISABLED: 'See "policy" in the configuration.',
  };
  return hints[code];
}

function helpHint({ name, serverWords }: RequestedCall): string {
  return `Run "${printCommand("call", [...serverWords, name, "--help"])}".`;
}

export function callAddress({ name, tool, options }: RequestedCall) {
  return { tool: name, server: serverNameOf(tool), environment: options.env };
}
