import { McpCodegenError } from "../../contract/errors.js";
import type { JsonObject } from "../../contract/json.js";
import { openLockedTools } from "../../pipeline/locked-tools.js";
import { explainWrites } from "../../pipeline/tool-policy-of.js";
import type { CallDocument, CallFailure } from "../../report/documents.js";
import { printable } from "../../report/printable.js";
import { printError } from "../../report/print-error.js";
import { explainIssue } from "../../runtime/checks/explain-issue.js";
import type { CallOptions } from "../../runtime/call-options.js";
import type { ContentBlock } from "../../runtime/content.js";
import { decide, effectOf } from "../../runtime/policy/decide.js";
import type { RegisteredTool } from "../../runtime/registry/registered-tool.js";
import { serverNameOf } from "../../runtime/registry/tool-names.js";
import type { Result, ToolError, ToolErrorCode } from "../../runtime/result.js";
import { findIssues } from "../../runtime/schema.js";
import type { ArgumentSchema } from "../call-flags/argument-schema.js";
import { joinFlagName } from "../call-flags/flag-names.js";
import { readFlags } from "../call-flags/read-flags.js";
import { deliverResult } from "../call-output/deliver-result.js";
import { createPaint } from "../colours.js";
import { createContext, type Context } from "../context.js";
import { describeForPeople } from "../describe-for-people.js";
import { findTool, openTools, type OpenedTools } from "../open-tools.js";
import type { CommandOptions } from "../options.js";
import { confirm } from "../prompts.js";
import { quoteForShell } from "../quote-for-shell.js";
import { readArgumentSchema } from "../read-argument-schema.js";
import { readInput, readPiped } from "../read-input.js";
import { redirectConsole } from "../redirect-console.js";
import type { Runner } from "../runner.js";
import { showCallProgress } from "../show-call-progress.js";
import { takeOwnOptions } from "../take-own-options.js";
import { toDocument } from "./describe.js";

/** One call: a tool's name, and how it is called. */
interface Order {
  readonly name: string;
  readonly tool: RegisteredTool;
  readonly schema: ArgumentSchema;
  readonly words: readonly string[];
  readonly options: CommandOptions<"call">;
}

/** Calls one locked or own tool. Nothing is sent before its arguments are read, and fit its schema. */
export const runCall: Runner<"call"> = async (given, [wanted = "", ...rest], before) => {
  const opened = await openTools(given);
  const tool = await findTool(opened, wanted);
  const schema = readArgumentSchema(tool);
  const { isHelp, options: behind, words } = takeOwnOptions(rest, schema);
  const context = createContext(given.io, { ...given.options, ...behind });
  const order: Order = {
    name: opened.names.nameOf(tool),
    tool,
    schema,
    words,
    options: { ...before, ...behind },
  };
  const { isVisible, reasons } = decide(tool, opened.policy);
  const [reason] = reasons;
  if (isHelp && isVisible) return help(context, opened, order);
  if (reason !== undefined) {
    const { project, lookup } = opened;
    const writesHint = explainWrites(project.config, lookup, serverNameOf(tool));
    return fail(context, order, {
      ...{ ...reason, retryable: false },
      ...(reason.code === "WRITES_DISABLED" && { hint: writesHint }),
    });
  }
  const args = await readArguments(context, order);
  if (!(await mayCall(context, opened, order, args))) return 0;
  return send(context, opened, order, args);
};

function help(context: Context, { policy }: OpenedTools, { name, tool }: Order): number {
  context.say(describeForPeople(tool, { name, policy, layout: context }));
  context.answer({ report: "describe", exitCode: 0, tools: [toDocument(tool, name)] });
  return 0;
}

async function readArguments(context: Context, { name, schema, words, options }: Order): Promise<JsonObject> {
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
  throw new McpCodegenError("USAGE", problems.join("\n"), { hint: helpHint(name) });
}

/** Asks before something may be destroyed, unless the call would be refused anyway. */
async function mayCall(
  context: Context,
  { project, policy }: OpenedTools,
  { name, tool, options }: Order,
  args: JsonObject,
): Promise<boolean> {
  if (options.confirmed === true || effectOf(tool, policy) !== "destroys") return true;
  const sendsDefaults = tool.server !== undefined && project.config.servers[tool.server]?.defaults === "send";
  // Defaults may mend what is missing here.
  if (!sendsDefaults && (await findIssues(tool.input, args)).length > 0) return true;
  const where = options.env === undefined ? "" : ` in "${options.env}"`;
  if (!context.isInteractive)
    throw new McpCodegenError(
      "USAGE",
      `Tool ${JSON.stringify(name)} may destroy something, and nobody is there to be asked.`,
      { hint: "Give --yes to call it." },
    );
  return confirm(context, `${JSON.stringify(name)} may destroy something. Call it${where}?`);
}

async function send(
  context: Context,
  { project, lock, lookup }: OpenedTools,
  order: Order,
  args: JsonObject,
): Promise<number> {
  const { name, tool, options } = order;
  const { env, save } = options;
  const { signal } = context.io;
  const timeout = parseTimeout(options.timeout);
  const place = env === undefined ? {} : { environment: env };
  const isOwn = tool.server === undefined;
  const locked = openLockedTools(project, lock, { lookup, ...place, servers: isOwn ? [] : [tool.server] });
  const called = isOwn ? tool : locked.tools.find(({ name: own }) => own === tool.name);
  const progress = await showCallProgress(context);
  let result: Result<unknown> | undefined;
  const beside: ContentBlock[] = [];
  const unknownKeys: string[] = [];
  try {
    const callOptions: CallOptions = {
      ...(isOwn && place),
      onProgress: progress.onProgress,
      onContent: (content) => void beside.push(...content),
      logger: (event, fields) => {
        if (event === "tool.output.unknown_keys") unknownKeys.push(String(fields["keys"]));
      },
      ...(timeout !== undefined && { timeout }),
      ...(signal !== undefined && { signal }),
    };
    result = await redirectConsole(context.io, async () => called?.call(args, callOptions));
  } finally {
    progress.close();
    await locked.close();
  }
  signal?.throwIfAborted();
  if (result === undefined)
    throw new Error(`Tool ${JSON.stringify(tool.name)} was there and is not any more.`);
  if (!result.ok) return fail(context, order, result.error);
  for (const keys of unknownKeys)
    context.io.stderr.write(
      `The answer has keys that the locked output schema does not allow: ${printable(keys)}. Run "npx mcp-codegen check ${tool.server ?? ""}".\n`,
    );
  const { lines, document } = await deliverResult(
    context,
    { tool: name, value: result.value, isContent: tool.output === undefined, beside },
    save,
  );
  context.say(lines);
  context.answer({ report: "call", exitCode: 0, ...addressOf(order), ...document });
  return 0;
}

function parseTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = /^\d{1,6}(?:\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (seconds > 0) return seconds * 1_000;
  throw new McpCodegenError("USAGE", `--timeout takes seconds, not ${JSON.stringify(text)}.`, {
    hint: "For example: --timeout 120.",
  });
}

type Failure = Pick<ToolError, "code" | "message" | "retryable" | "issues" | "cause"> & {
  readonly hint?: string;
};

/** Tells why a call failed. What is wrong with our own settings is told as it is everywhere. */
function fail(context: Context, order: Order, error: Failure): number {
  if (error.cause instanceof McpCodegenError && error.cause.exitCode === 2) throw error.cause;
  const failure = describeFailure(order, error);
  const exitCode = EXIT_CODES[error.code];
  const paint = createPaint(context.io.stderr, context.io, context.options);
  context.io.stderr.write(`${printError(withIssues(failure), paint).join("\n")}\n`);
  context.answer({ report: "call", exitCode, ...addressOf(order), error: failure });
  return exitCode;
}

/** 1 where the tool had its say, 2 where the input or our settings are at fault, 3 where nobody knows. */
const EXIT_CODES: { readonly [C in ToolErrorCode]: 1 | 2 | 3 } = {
  TOOL_INVALID_INPUT: 2,
  TOOL_NOT_ALLOWED: 2,
  WRITES_DISABLED: 2,
  TOOL_NOT_IMPLEMENTED: 2,
  TOOL_NOT_FOUND: 1,
  TOOL_EXECUTION_FAILED: 1,
  TOOL_INVALID_OUTPUT: 1,
  CONTRACT_DRIFT: 1,
  TOOL_UNAVAILABLE: 3,
};

/** A wrong list has as many issues as items; the first of them say enough. */
const MOST_ISSUES = 20;

function describeFailure({ name }: Order, error: Failure): CallFailure {
  const { code, message, retryable } = error;
  const told = (error.issues ?? []).slice(0, MOST_ISSUES).flatMap(explainIssue).slice(0, MOST_ISSUES);
  const issues = told.map((issue) => ({
    path: issue.path.map((key) => (typeof key === "symbol" ? String(key) : key)),
    message: issue.message,
  }));
  const isOurs = code === "TOOL_INVALID_INPUT" && issues.length > 0;
  const hint = error.hint ?? hintFor(code, name);
  return {
    code,
    message: isOurs ? `The arguments do not fit tool ${JSON.stringify(name)}; nothing was sent.` : message,
    ...(hint !== undefined && { hint }),
    retryable,
    ...(issues.length > 0 && { issues }),
  };
}

/** With a line for each issue, by the flag that it is about. */
function withIssues({ code, message, hint, issues = [] }: CallFailure): {
  readonly message: string;
  readonly hint?: string | undefined;
} {
  if (code !== "TOOL_INVALID_INPUT") return { message, hint };
  const lines = issues.map((issue) =>
    issue.path.length === 0 ? issue.message : `--${joinFlagName(issue.path)}: ${issue.message}`,
  );
  return { message: [message, ...lines].join("\n"), hint };
}

function hintFor(code: ToolErrorCode, name: string): string | undefined {
  switch (code) {
    case "TOOL_INVALID_INPUT":
      return helpHint(name);
    case "TOOL_NOT_FOUND":
    case "TOOL_INVALID_OUTPUT":
    case "CONTRACT_DRIFT":
      return 'Run "npx mcp-codegen check" to see how the server and the lock differ.';
    case "TOOL_NOT_ALLOWED":
    case "WRITES_DISABLED":
      return 'See "policy" in the configuration.';
    case "TOOL_UNAVAILABLE":
    case "TOOL_EXECUTION_FAILED":
    case "TOOL_NOT_IMPLEMENTED":
      return undefined;
    default:
      return code satisfies never;
  }
}

function helpHint(name: string): string {
  return `Run "npx mcp-codegen call ${quoteForShell(name)} --help".`;
}

function addressOf({ name, tool, options }: Order): Pick<CallDocument, "tool" | "server" | "environment"> {
  return {
    tool: name,
    server: serverNameOf(tool),
    ...(options.env !== undefined && { environment: options.env }),
  };
}
