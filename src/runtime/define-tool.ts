/// <reference lib="esnext.disposable" preserve="true" />
import { callSafely, messageOf } from "../core/errors.js";
import { checkArgument, checkOptions, HOLDER, recordOf } from "../core/check-options.js";
import { commandToCheck } from "../core/tool-name.js";
import { omitUndefined } from "../core/collections.js";
import { keepDigitsOf, tryParseExactly } from "../core/exact-json.js";
import type { Issue, Schema } from "../core/schema.js";
import { getOwn, isJsonObject, type JsonObject, mergeDefined } from "../core/json.js";
import { describeIssues, findIssues } from "../schema/validation/schema.js";
import { recordCall } from "./call-recorder.js";
import {
  bindModule,
  bindRequest,
  type FindCaller,
  isReplayed,
  loadCassette,
  type PreparedRequest,
  type Request,
  toFunction,
} from "./request.js";
import { ExternalClient } from "./client/external-client.js";
import { findSharedCaller, hasConnectionOptions, PooledClient } from "./client/pooled-client.js";
import { type ReportEvent, warn } from "./events.js";
import { CONNECT_OPTIONS, SERVER } from "./tool.js";
import type { Result, ToolContent, CallOptions, ConnectOptions } from "../core/call.js";
import { failCall, failNotFound, failReported, saysNotFound } from "./fail-call.js";
import type { ServerDefinition, ServerTool, Tool, ToolDefinition } from "../core/tool.js";
import { keepContent, readContent, readReason, ToolCallError } from "./result.js";
import {
  DEFAULT_OUTPUT_MODE,
  hasPhpArrays,
  prepareArguments,
  readEmptyObjects,
  reportRounded,
  validateOutput,
} from "./validate-call.js";

/** The parts of a connection, for other requests to its server. */
export interface ConnectionOrigin {
  readonly server: ServerDefinition;
  readonly options: CallOptions;
  readonly client: PooledClient | ExternalClient;
}

const origins = /* @__PURE__ */ new WeakMap<object, ConnectionOrigin>();

/** The origin of what {@link connectTools} returned; undefined for anything else. */
export function originOf(connection: object): ConnectionOrigin | undefined {
  return origins.get(connection);
}

declare const TOOL_NAMES: unique symbol;

/** A connection, which `await using` closes. `Names` has the server's names of its tools, for types alone. */
export interface Connection<Names = unknown> {
  /** A method, so that a connection of any names is one. */
  [TOOL_NAMES]?(names: Names): void;
  /** Closes the connection. Running calls fail. Does not close a client that was passed in. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * The members of several modules as one type, which editors show by its alias. Go to definition and hover text lead to the
 * module of each tool, which requires `Name` to be a parameter.
 */
export type ToolsOf<Modules, Name extends keyof Modules = keyof Modules> = {
  readonly [name in Name]: Modules[name];
};

/**
 * Returns the tools on a connection of their own, which the first call opens. It need not be closed: an idle connection does
 * not keep the process alive.
 *
 * @param modules modules of prompts and resources, which become members of the connection
 * @throws McpCodegenError `USAGE` for an unknown option
 */
export function connectTools<T extends { readonly [name: string]: ServerTool }, M = unknown>(
  server: ServerDefinition,
  tools: T,
  connectOptions: ConnectOptions = {},
  modules?: M & { readonly [name: string]: object },
): T & Connection & M {
  checkArgument("connect", "server", server, SERVER);
  checkArgument("connect", "tools", tools, TOOLS);
  checkOptions("connect", connectOptions, CONNECT_OPTIONS);
  // A copy, since the object identifies the connection in a cassette.
  const options = { ...connectOptions };
  const client =
    options.client === undefined ? new PooledClient(server, options) : new ExternalClient(options.client);
  const findCaller: FindCaller = (callOptions) =>
    hasConnectionOptions(callOptions) ? findSharedCaller(server, mergeDefined(options, callOptions)) : client;
  const entries = Object.entries(tools).map(
    ([name, { definition }]) => [name, bindTool(definition, options, findCaller)] as const,
  );
  const close = (): Promise<void> => client.close();
  const connection: { readonly [name: string]: ServerTool } = Object.fromEntries(entries);
  // Not enumerable, so that iterating over the object yields tools only.
  for (const [name, module] of Object.entries<object>(modules ?? {}))
    Object.defineProperty(connection, name, { value: bindModule(module, options, findCaller) });
  Object.defineProperty(connection, "close", { value: close });
  Object.defineProperty(connection, Symbol.asyncDispose, { value: close });
  origins.set(connection, { server, options, client });
  return connection as T & Connection & M;
}

const TOOLS = /* @__PURE__ */ recordOf(HOLDER, "an object of tools");

/** A definition as generated code has it, with the raw input schema as JSON text: it is parsed only when it is read. */
interface WrittenDefinition<I, O> extends Omit<ToolDefinition<I, O>, "inputSchema"> {
  readonly inputSchema: string | (() => unknown);
}

/** Returns a tool that can be called at once: all calls share one connection per server, which the first call opens. */
export function defineTool<I, O>(
  written: WrittenDefinition<I, O> & { readonly output: Schema<O> },
): Tool<I, O>;
export function defineTool<I>(
  written: WrittenDefinition<I, ToolContent> & { readonly output?: never },
): Tool<I>;
export function defineTool<I>(written: WrittenDefinition<I, unknown>): Tool<I, unknown> {
  const { inputSchema: raw } = written;
  const inputSchema = typeof raw === "string" ? (): unknown => JSON.parse(raw) : raw;
  const definition = { ...written, inputSchema };
  return bindTool(definition, {}, (options) => findSharedCaller(definition.server, options));
}

/** Returns a tool for a connection. Options of a call take precedence over those of the connection. */
export function bindTool<I, O>(
  definition: ToolDefinition<I, O>,
  bound: CallOptions,
  findCaller: FindCaller,
): Tool<I, O> {
  const safe: Tool<I, O>["safe"] = bindRequest(requestOf(definition), bound, findCaller);
  const tool = toFunction(definition, safe, ToolCallError);
  const { environment, validateInput } = bound;
  return Object.assign(tool, omitUndefined({ environment, validateInput }));
}

function requestOf<I, O>(definition: ToolDefinition<I, O>): Request<O> {
  const { name, server, through } = definition;
  return {
    name,
    server,
    through,
    prepare: (input, options) => prepareCall(definition, input, options),
    read: async (raw, options, report) => {
      await learn(definition, raw, options);
      return readToolResult(definition, raw, options, report);
    },
    onEnd: (args, result, { changes, environment, onWarning }) => {
      recordCall(changes, { tool: definition, args, result, environment }, onWarning);
    },
    toError: (error) => error,
  };
}

async function prepareCall(
  definition: ToolDefinition<unknown, unknown>,
  input: unknown,
  options: CallOptions,
): ReturnType<Request<unknown>["prepare"]> {
  const prepared = await prepareArguments(definition, input, options);
  if ("issues" in prepared) return prepared;
  const { name, annotations } = definition;
  const through = definition.through?.();
  const call: PreparedRequest = {
    method: "tools/call",
    params: { name, arguments: prepared.arguments },
    arguments: prepared.arguments,
    // By the locked annotations, which a person has reviewed.
    isRepeatable: annotations?.readOnlyHint === true || annotations?.idempotentHint === true,
  };
  if (through === undefined) return call;
  return {
    ...call,
    params: { ...through.toRequest(prepared.arguments) },
    fromResult: (raw) => (isJsonObject(raw) ? through.fromResult(raw) : raw),
  };
}

/** Learns the shape of an answer. The call was made, so a failure is only a warning. */
async function learn(
  { server, name, output, observed }: ToolDefinition<unknown, unknown>,
  result: unknown,
  { learn: project = false, onWarning, ...options }: CallOptions,
): Promise<void> {
  if (project === false || (output !== undefined && observed === undefined) || isReplayed(options)) return;
  try {
    const { learnAnswer } = await loadCassette();
    const tool = { server: server.name, tool: name, contract: server.contract };
    await learnAnswer(project === true ? "." : project, tool, result);
  } catch (error) {
    const reason = messageOf(error);
    warn(`Nothing is learned from an answer of tool ${JSON.stringify(name)}: ${reason}`, onWarning);
  }
}

/** Converts the raw result of a `tools/call` to the result of the tool. */
export async function readToolResult<O>(
  definition: ToolDefinition<unknown, O>,
  raw: unknown,
  options: CallOptions,
  report: ReportEvent,
): Promise<Result<O>> {
  if (!isJsonObject(raw)) return failOutput(definition, options, "it is not a tool result", { cause: raw });
  const tellRounded = (value: unknown): void => {
    reportRounded(definition, value, options.onWarning, report);
  };
  const content = readContent(raw, tellRounded);
  if (getOwn(raw, "isError") === true) {
    const { name, server } = definition;
    const subject = { name, server, environment: options.environment };
    return saysNotFound(definition, content.text)
      ? failNotFound(subject, raw)
      : failReported(subject, readReason(content), raw);
  }
  if (definition.output === undefined) {
    tellRounded(content.structuredContent);
    // By the signature of defineTool, O is ToolContent without an output schema.
    return { ok: true, value: content as O };
  }
  const structured = findStructured(raw, content.text);
  if (structured !== undefined || isLenient(definition, options)) passContent(definition, content, options);
  if (structured === undefined && isLenient(definition, options)) {
    report("tool.output.unobserved", { reason: "the answer is a text that is not JSON" });
    return keepContent({ ok: true, value: content.text as O }, content.content);
  }
  if (structured === undefined) {
    const what = "it holds no structured content and its text is not JSON";
    return failOutput(definition, options, what, { cause: raw });
  }
  tellRounded(structured.value);
  const result = await judge(definition, definition.output, structured.value, options, report);
  return keepContent(result, content.content);
}

/** Passes the blocks of an answer to the program. The tool has done its work, so a failure is only a warning. */
function passContent(
  { name }: ToolDefinition<unknown, unknown>,
  { content }: ToolContent,
  { onContent, onWarning }: CallOptions,
): void {
  callSafely(onContent, [content], (error) => {
    warn(`onContent of a call of tool ${JSON.stringify(name)} failed: ${messageOf(error)}`, onWarning);
  });
}

/** Returns the structured content, or the value of a JSON text, which older servers send instead. */
function findStructured(raw: JsonObject, text: string): { readonly value: unknown } | undefined {
  const structured = getOwn(raw, "structuredContent");
  if (structured !== undefined && structured !== null) return { value: structured };
  const parsed = tryParseExactly(text);
  const value = parsed === undefined && structured === null ? null : parsed;
  return value === undefined ? undefined : { value };
}

async function judge<O>(
  definition: ToolDefinition<unknown, O>,
  output: Schema<O>,
  value: unknown,
  options: CallOptions,
  report: ReportEvent,
): Promise<Result<O>> {
  const mode = options.output ?? definition.server.output ?? DEFAULT_OUTPUT_MODE;
  // PHP writes an empty object as an empty array.
  const candidates = Array.isArray(value) && value.length === 0 ? [value, {}] : [value];
  if (mode === "off") {
    const isList = candidates.length > 1 && (await findIssues(output, value)).length === 0;
    return { ok: true, value: (isList ? value : candidates.at(-1)) as O };
  }
  let issues: readonly Issue[] = [];
  for (const candidate of candidates) {
    const misfits = await validateOutput(output, candidate, mode, report);
    if (misfits.length === 0) return { ok: true, value: candidate as O };
    if (issues.length === 0) issues = misfits;
  }
  if (hasPhpArrays(definition)) {
    const read = keepDigitsOf(value, await readEmptyObjects(output, value));
    const remaining = read === value ? issues : await validateOutput(output, read, mode, report);
    if (remaining.length === 0) return { ok: true, value: read as O };
    issues = remaining;
  }
  if (isLenient(definition, options)) {
    report("tool.output.unobserved", { reason: describeIssues(issues) });
    return { ok: true, value: value as O };
  }
  if (mode !== "warn")
    return failOutput(definition, options, describeIssues(issues), { issues, cause: value });
  warn(describeMisfit(definition, options, describeIssues(issues)), options.onWarning);
  return { ok: true, value: value as O };
}

/** Whether an answer may differ from the output schema: the schema was learned, and the call does not require it. */
function isLenient({ observed }: ToolDefinition<unknown, unknown>, { output }: CallOptions): boolean {
  return observed !== undefined && (output === undefined || output === "warn");
}

function failOutput(
  definition: ToolDefinition<unknown, unknown>,
  options: CallOptions,
  what: string,
  more: { readonly issues?: readonly Issue[]; readonly cause?: unknown },
): Result<never> {
  return failCall(definition, "TOOL_INVALID_OUTPUT", describeMisfit(definition, options, what), more);
}

function describeMisfit(
  definition: ToolDefinition<unknown, unknown>,
  { environment }: CallOptions,
  what: string,
): string {
  const tool = JSON.stringify(definition.name);
  const { name, contract } = definition.server;
  const accept = `pass { output: "warn" } with the call`;
  const hint =
    contract === undefined
      ? ` If the server breaks its own schema, ${accept}.`
      : ` Run "${commandToCheck(name, environment)}" to see whether the server left contract ${contract}. If it breaks its own schema, ${accept}, or set servers.${name}.validateOutput to "warn".`;
  return `The answer of tool ${tool} does not fit its output schema: ${what}.${describePlugin(definition)}${hint}`;
}

/** Names the plugin that registers the schema of a WordPress tool: the namespace of an ability. */
function describePlugin({ through, dialect, category }: ToolDefinition<unknown, unknown>): string {
  const [namespace, ...rest] = through?.().target?.split("/") ?? [];
  if (namespace !== undefined && rest.length > 0)
    return ` The plugin ${JSON.stringify(namespace)} registers its schema, as ability ${JSON.stringify([namespace, ...rest].join("/"))}.`;
  if (dialect !== "wordpress" || category === undefined) return "";
  return ` A plugin registers its schema in the category ${JSON.stringify(category)}.`;
}
