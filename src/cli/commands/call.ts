import { McpCodegenError } from "../../contract/errors.js";
import type { JsonObject } from "../../contract/json.js";
import { explainWrites } from "../../project/tool-policy-of.js";
import type { CallDocument, CallFailure } from "../../report/documents.js";
import { printable } from "../../contract/printable.js";
import { printError } from "../../report/print-error.js";
import { explainIssue } from "../../validation/explain-issue.js";
import type { CallOptions } from "../../runtime/call-options.js";
import type { ContentBlock } from "../../runtime/content.js";
import { decide, effectOf } from "../../agent/policy/decide.js";
import type { RegisteredTool } from "../../agent/registry/registered-tool.js";
import { serverNameOf } from "../../agent/registry/tool-names.js";
import type { Result, ToolError, ToolErrorCode } from "../../runtime/result.js";
import { findIssues } from "../../validation/schema.js";
import type { ArgumentSchema } from "../call-flags/argument-schema.js";
import { joinFlagName } from "../call-flags/flag-names.js";
import { readFlags } from "../call-flags/read-flags.js";
import { deliverResult } from "../call-output/deliver-result.js";
import { createPaint } from "../colours.js";
import { createContext, type Context, type Runner } from "../context.js";
import { describeForPeople } from "../describe-for-people.js";
import { readServerOptions, type ServerOptions } from "../ad-hoc-server.js";
import { findTool, withTools, type OpenedTools } from "../open-tools.js";
import type { CommandOptions } from "../command-table.js";
import { OPTIONS } from "../options.js";
import { confirm } from "../prompts.js";
import { printCommand } from "../print-command.js";
import { readArgumentSchema } from "../read-argument-schema.js";
import { readInput, readPiped } from "../read-input.js";
import { redirectConsole } from "../redirect-console.js";
import { showCallProgress } from "../show-call-progress.js";
import { extractOwnOptions, extractServerOptions, type ExtractedServerOptions } from "../extract-options.js";
import { toDocument } from "./describe.js";

/** One call: a tool's name, and how it is called. */
interface Order {
  readonly name: string;
  /** The options that name the tool's server on a command line. */
  readonly serverWords: readonly string[];
  readonly tool: RegisteredTool;
  readonly schema: ArgumentSchema;
  readonly words: readonly string[];
  readonly options: CommandOptions<"call">;
}

/** Calls one tool. Nothing is sent before its arguments are read, and fit its schema. */
export const runCall: Runner<"call"> = async (given, [wanted = "", ...rest], before) => {
  // The server may be started before its tool's parameters are known, and one of them may have this name.
  const isVerbose = rest.includes(OPTIONS.verbose.flag);
  const context = isVerbose ? createContext(given.io, { ...given.options, verbose: true }) : given;
  const { options, words } = await findServerOptions(context, wanted, rest, before);
  return withTools(context, options, (opened) => callIn(context, opened, { wanted, words, before }));
};

/**
 * The options that name a server, from both sides of the tool's name. Behind it, `--server` belongs to a locked tool
 * that has a parameter of that name.
 */
async function findServerOptions(
  context: Context,
  wanted: string,
  words: readonly string[],
  before: CommandOptions<"call">,
): Promise<ExtractedServerOptions> {
  const { server, header, bearer } = before;
  const options: ServerOptions = {
    ...(server !== undefined && { server }),
    ...(header !== undefined && { header }),
    ...(bearer !== undefined && { bearer }),
  };
  if (server !== undefined) {
    if ((await readServerOptions(context, { server }))?.kind === "configured") return { options, words };
    const taken = extractServerOptions(words, ["header", "bearer"]);
    const headers = [...(header ?? []), ...(taken.options.header ?? [])];
    return {
      options: { ...options, ...taken.options, ...(headers.length > 0 && { header: headers }) },
      words: taken.words,
    };
  }
  const taken = extractServerOptions(words, ["server", "header", "bearer"]);
  if (taken.options.server === undefined) return { options, words };
  const isTools = await withTools(context, {}, async (opened) => {
    const schema = readArgumentSchema(await findTool(opened, wanted));
    return schema.members(schema.root).has("server");
  }).catch((error: unknown) => {
    // Without a configuration, or without such a tool, no tool can claim the option.
    if (error instanceof McpCodegenError) return false;
    throw error;
  });
  return isTools ? { options, words } : { ...taken, options: { ...options, ...taken.options } };
}

async function callIn(
  given: Context,
  opened: OpenedTools,
  line: {
    readonly wanted: string;
    readonly words: readonly string[];
    readonly before: CommandOptions<"call">;
  },
): Promise<number> {
  const tool = await findTool(opened, line.wanted);
  const schema = readArgumentSchema(tool);
  const { isHelp, options: behind, words } = extractOwnOptions(line.words, schema);
  const context = createContext(given.io, { ...given.options, ...behind });
  const order: Order = {
    name: opened.names.nameOf(tool),
    serverWords: opened.serverWords,
    tool,
    schema,
    words,
    options: { ...line.before, ...behind },
  };
  if (order.options.env !== undefined && opened.serverWords.length > 0) {
    throw new McpCodegenError(
      "USAGE",
      "--env requires a configured server, and --server names an unconfigured one.",
      {
        hint: "Pass the URL or command of the environment as --server.",
      },
    );
  }
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
}

async function help(
  context: Context,
  { policy }: OpenedTools,
  { name, serverWords, tool }: Order,
): Promise<number> {
  context.print(await describeForPeople(tool, { name, policy, serverWords, layout: context }));
  context.printDocument({ report: "describe", exitCode: 0, tools: [toDocument(tool, name)] });
  return 0;
}

async function readArguments(context: Context, order: Order): Promise<JsonObject> {
  const { schema, words, options } = order;
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
  throw new McpCodegenError("USAGE", problems.join("\n"), { hint: helpHint(order) });
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
      `Tool ${JSON.stringify(name)} may be destructive; confirmation required.`,
      { hint: "Pass --yes to call it." },
    );
  return confirm(context, `Tool ${JSON.stringify(name)} may be destructive. Call it${where}?`);
}

async function send(context: Context, opened: OpenedTools, order: Order, args: JsonObject): Promise<number> {
  const { name, tool, options } = order;
  const { env, save } = options;
  const { signal } = context.io;
  const timeout = parseTimeout(options.timeout);
  const connected = opened.connect(tool, env);
  const progress = await showCallProgress(context);
  let result: Result<unknown>;
  const beside: ContentBlock[] = [];
  const unknownKeys: string[] = [];
  try {
    const callOptions: CallOptions = {
      ...(tool.server === undefined && env !== undefined && { environment: env }),
      onProgress: progress.onProgress,
      onContent: (content) => void beside.push(...content),
      logger: (event, fields) => {
        if (event === "tool.output.unknown_keys") unknownKeys.push(String(fields["keys"]));
      },
      ...(timeout !== undefined && { timeout }),
      ...(signal !== undefined && { signal }),
    };
    result = await redirectConsole(context.io, () => connected.tool.call(args, callOptions));
  } finally {
    progress.close();
    await connected.close();
  }
  signal?.throwIfAborted();
  if (!result.ok) return fail(context, order, result.error);
  for (const keys of unknownKeys)
    context.io.stderr.write(
      `The result has keys that the locked output schema does not allow: ${printable(keys)}. Run "npx mcp-codegen check ${tool.server ?? ""}".\n`,
    );
  const { lines, document } = await deliverResult(
    context,
    { tool: name, value: result.value, isContent: tool.output === undefined, beside },
    save,
  );
  context.print(lines);
  context.printDocument({ report: "call", exitCode: 0, ...addressOf(order), ...document });
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
  context.printDocument({ report: "call", exitCode, ...addressOf(order), error: failure });
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

function describeFailure(order: Order, error: Failure): CallFailure {
  const { name } = order;
  const { code, message, retryable } = error;
  const told = (error.issues ?? []).slice(0, MOST_ISSUES).flatMap(explainIssue).slice(0, MOST_ISSUES);
  const issues = told.map((issue) => ({
    path: issue.path.map((key) => (typeof key === "symbol" ? String(key) : key)),
    message: issue.message,
  }));
  const isOurs = code === "TOOL_INVALID_INPUT" && issues.length > 0;
  // The message of a lost connection is for programs: there it holds the hint, and what the server wrote.
  const { cause } = error;
  const lost = code === "TOOL_UNAVAILABLE" && cause instanceof McpCodegenError ? cause : undefined;
  const hint = error.hint ?? lost?.hint ?? hintFor(code, order);
  return {
    code,
    message: isOurs
      ? `Invalid arguments for tool ${JSON.stringify(name)}; nothing was sent.`
      : lost === undefined
        ? message
        : `Tool ${JSON.stringify(name)} could not be called: ${lost.message}`,
    ...(hint !== undefined && { hint }),
    ...(lost !== undefined && lost.stderr.length > 0 && { stderr: lost.stderr }),
    retryable,
    ...(issues.length > 0 && { issues }),
  };
}

/** With a line for each issue, by the flag that it is about. */
function withIssues({ issues = [], ...failure }: CallFailure): Parameters<typeof printError>[0] {
  const { code, message, hint } = failure;
  if (code !== "TOOL_INVALID_INPUT") return failure;
  const lines = issues.map((issue) =>
    issue.path.length === 0 ? issue.message : `--${joinFlagName(issue.path)}: ${issue.message}`,
  );
  return { message: [message, ...lines].join("\n"), hint };
}

function hintFor(code: ToolErrorCode, order: Order): string | undefined {
  switch (code) {
    case "TOOL_INVALID_INPUT":
      return helpHint(order);
    case "TOOL_NOT_FOUND":
    case "TOOL_INVALID_OUTPUT":
    case "CONTRACT_DRIFT":
      return order.serverWords.length > 0
        ? undefined
        : 'Run "npx mcp-codegen check" to see how the server and the lock differ.';
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

function helpHint({ name, serverWords }: Order): string {
  return `Run "${printCommand("call", [...serverWords, name, "--help"])}".`;
}

function addressOf({ name, tool, options }: Order): Pick<CallDocument, "tool" | "server" | "environment"> {
  return {
    tool: name,
    server: serverNameOf(tool),
    ...(options.env !== undefined && { environment: options.env }),
  };
}
