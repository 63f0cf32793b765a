import { checkOptions } from "../core/check-options.js";
import { omitUndefined } from "../core/collections.js";
import { McpCodegenError } from "../core/errors.js";
import { isJsonObject, type JsonObject, mergeDefined } from "../core/json.js";
import { DEEPEST_LOCKABLE, measureDepth } from "../core/limits.js";
import type { Issue } from "../core/schema.js";
import { describeIssues } from "../schema/validation/schema.js";
import { CONNECT_OPTIONS } from "./tool.js";
import type { Caller, CallerRequest } from "./client/caller.js";
import { lookUpVariable } from "./client/connect-options.js";
import type { ReportEvent } from "./events.js";
import { failAborted, failCall, nounOf, type Subject, toToolError } from "./fail-call.js";
import { observeCall } from "./observe-call.js";
import type { Result, ToolError, CallOptions, CassetteMode, CassetteOptions } from "../core/call.js";
import type { RequestError } from "./server-entry.js";

/** A tool, prompt or resource of a server: how a request for it is prepared, and how its answer is read. */
export interface Request<T, E extends ToolError | RequestError = ToolError> extends Subject {
  /** Returns the request to send, or the issues of the input. */
  prepare(
    input: unknown,
    options: CallOptions,
  ): Promise<PreparedRequest | { readonly issues: readonly Issue[] }>;
  /** Reads the raw result, which may be any value if the program passed its own client. */
  read(raw: unknown, options: CallOptions, report: ReportEvent): Promise<Result<T>>;
  /** Receives the outcome of a request that was prepared. Never throws. */
  onEnd?(args: JsonObject, result: Result<T>, options: CallOptions): void;
  toError(error: ToolError): E;
}

export interface PreparedRequest {
  /** Names the request in errors, such as the URI from a template. Default: the name of the subject. */
  readonly name?: string | undefined;
  readonly method: CallerRequest["method"];
  readonly params: JsonObject;
  /** The arguments of the subject, for recorders. */
  readonly arguments: JsonObject;
  readonly isRepeatable: boolean;
  /** Turns the result of another tool, through which the subject was called, into its own result. */
  readonly fromResult?: ((raw: unknown) => unknown) | undefined;
}

/** Finds the connection for a request, by the options of the request itself. */
export type FindCaller = (options: CallOptions) => Caller;

/** Returns a function that sends a request and never rejects. Options of a request take precedence over those bound. */
export function bindRequest<T, E extends ToolError | RequestError>(
  request: Request<T, E>,
  bound: CallOptions,
  findCaller: FindCaller,
): (input: unknown, options?: CallOptions) => Promise<Result<T, E>> {
  return (input, callOptions = {}) => {
    const options = mergeDefined(bound, callOptions);
    return observeCall({ tool: request, input, options, given: callOptions, bound, findCaller }, runRequest);
  };
}

interface RequestCall<T, E extends ToolError | RequestError> {
  readonly tool: Request<T, E>;
  readonly input: unknown;
  readonly options: CallOptions;
  /** The options of the request itself. */
  readonly given: CallOptions;
  /** The options of the connection, which also identify it in a cassette. */
  readonly bound: CallOptions;
  readonly findCaller: FindCaller;
}

/** Runs one request from input to result. Never rejects. */
async function runRequest<T, E extends ToolError | RequestError>(
  report: ReportEvent,
  { tool: request, input, options, given: callOptions, bound, findCaller }: RequestCall<T, E>,
): Promise<Result<T, E>> {
  let subject: Subject = { ...request, environment: options.environment };
  let args: JsonObject | undefined;
  let caller: Caller | undefined;
  let result: Result<T>;
  try {
    checkOptions(`The options of ${nounOf(subject)}`, callOptions, CONNECT_OPTIONS);
    const prepared = await request.prepare(input, options);
    if ("issues" in prepared) {
      const message = `The input of ${nounOf(subject)} is invalid: ${describeIssues(prepared.issues)}`;
      result = failCall(subject, "TOOL_INVALID_INPUT", message, prepared);
    } else {
      const { name = request.name, fromResult, arguments: prefilled, ...message } = prepared;
      subject = { ...subject, name };
      args = prefilled;
      const origin = { server: request.server.name, [request.kind ?? "tool"]: name };
      const send = async (): Promise<unknown> => {
        caller = findCaller(callOptions);
        const raw = await caller.send({ ...message, origin }, options);
        assertShallow(raw);
        return fromResult === undefined ? raw : fromResult(raw);
      };
      const cassette = cassetteOf(options);
      const scrub = (text: string): string => caller?.scrub?.(text) ?? text;
      const call = { definition: request, arguments: args, scope: bound, options, scrub, report };
      const raw =
        cassette === undefined
          ? await send()
          : await (await loadCassette()).callWithCassette(cassette, call, send);
      result = await request.read(raw, options, (event, fields) => {
        report(event, scrubValues(fields, caller));
      });
    }
  } catch (error) {
    result =
      options.signal?.aborted === true
        ? failAborted(subject, error)
        : { ok: false, error: toToolError(subject, error) };
  }
  if (!result.ok) result = { ok: false, error: scrubError(result.error, caller) };
  if (args !== undefined) request.onEnd?.(args, result, options);
  return result.ok ? result : { ok: false, error: request.toError(result.error) };
}

/** Whatever reads, prints or writes an answer recurses into it. */
function assertShallow(raw: unknown): void {
  if (!isJsonObject(raw) || measureDepth(raw, DEEPEST_LOCKABLE) <= DEEPEST_LOCKABLE) return;
  const message = `The server sent an answer that is nested over ${DEEPEST_LOCKABLE} levels deep.`;
  throw new McpCodegenError("PROTOCOL_INVALID", message, {
    hint: "If the tool writes, find out what it did before you call it again.",
  });
}

/** Removes secrets from an error, since errors are written to logs and some servers repeat what they were sent. */
function scrubError(error: ToolError, caller: Caller | undefined): ToolError {
  const { message, issues, questions, cause } = error;
  if (caller?.scrub === undefined) return error;
  const scrub = caller.scrub.bind(caller);
  return omitUndefined({
    ...error,
    message: scrub(message),
    issues: issues?.map((issue) => ({ ...issue, message: scrub(issue.message) })),
    // The other texts of a question were scrubbed when it was read.
    questions: questions?.map((question) =>
      question.kind === "url" ? { ...question, url: scrub(question.url) } : question,
    ),
    cause: cause === undefined || cause instanceof Error ? cause : scrubValues(cause, caller),
  });
}

function scrubValues<T>(value: T, caller: Caller | undefined): T {
  if (caller?.scrub === undefined) return value;
  return JSON.parse(JSON.stringify(value), (_key, part: unknown) =>
    typeof part === "string" ? caller.scrub?.(part) : part,
  ) as T;
}

/** Returns a function that throws the errors of `safe`, with `safe` and the definition as its members. */
export function toFunction<D, P extends readonly unknown[], T, E>(
  definition: D,
  safe: (...parameters: P) => Promise<Result<T, E>>,
  Thrown: new (error: E) => Error,
): ((...parameters: P) => Promise<T>) & { readonly safe: typeof safe; readonly definition: D } {
  const call = async (...parameters: P): Promise<T> => {
    const result = await safe(...parameters);
    if (result.ok) return result.value;
    throw new Thrown(result.error);
  };
  // Never a key "name" or "length": they are read-only on functions.
  return Object.assign(call, { safe, definition });
}

/** The symbol under which a wrapper has its {@link Bind}, so that `connect()` need not load the code of prompts. */
const BIND = /* @__PURE__ */ Symbol("bind");

/** Returns a wrapper for another connection. */
type Bind = (bound: CallOptions, findCaller: FindCaller) => unknown;

/** Returns the same wrapper, which {@link bindModule} can then bind. */
export function makeConnectable<T extends object>(wrapper: T, bind: Bind): T {
  return Object.defineProperty(wrapper, BIND, { value: bind });
}

/** Returns the connectable exports of a module, bound to a connection. */
export function bindModule(module: object, ...binding: Parameters<Bind>): object {
  const bound = Object.entries(module).flatMap(([name, wrapper]: readonly [string, unknown]) => {
    const bind = isConnectable(wrapper) ? wrapper[BIND] : undefined;
    return bind === undefined ? [] : [[name, bind(...binding)] as const];
  });
  return Object.fromEntries(bound);
}

function isConnectable(value: unknown): value is { readonly [BIND]: Bind } {
  return typeof value === "function" && BIND in value;
}

/** The cassette of a call. In the mode `replay`, nothing is sent. */
export interface CassetteUse {
  readonly folder: string;
  readonly mode: CassetteMode | "replay";
}

/** A call of a tool, or a request for a prompt or a resource, that uses a cassette. */
export interface CassetteRequest {
  readonly definition: Subject;
  readonly arguments: JsonObject;
  /** Identifies the connection: answers to equal calls of one connection are in order. */
  readonly scope: object;
  readonly options: CallOptions;
  /** Removes the secrets that the server was given from a text. */
  readonly scrub: (text: string) => string;
  readonly report: ReportEvent;
}

/** Names the folder in which every call of a program is recorded. */
const RECORD_VARIABLE = "MCP_CODEGEN_RECORD";
/** Names the folder from which every call of a program is replayed. The variable for recording takes precedence. */
const REPLAY_VARIABLE = "MCP_CODEGEN_REPLAY";

/** Loads the recorder of calls, which browsers do not have. */
export const loadCassette = async () => import("#cassette");

/** Returns the cassette of a call, from its options or else from the variables. Throws `USAGE` for options that contradict. */
function cassetteOf({ record, replay, mode }: CassetteOptions): CassetteUse | undefined {
  if (record !== undefined && replay !== undefined)
    throw new McpCodegenError("USAGE", '"record" and "replay" are both set.', {
      hint: 'Set "replay", with mode: "new" to record what is missing.',
    });
  if (mode !== undefined && record === undefined && replay === undefined)
    throw new McpCodegenError("USAGE", '"mode" is set without "record" and "replay".', {
      hint: 'Name the folder of the recorded calls: replay: "cassettes".',
    });
  // An empty name switches the variables off.
  if (replay === "" || record === "") return undefined;
  if (replay !== undefined) return { folder: replay, mode: mode ?? "replay" };
  if (record !== undefined) return { folder: record, mode: mode ?? "all" };
  const recorded = lookUpVariable(RECORD_VARIABLE);
  const replayed = lookUpVariable(REPLAY_VARIABLE);
  if (recorded !== undefined && recorded !== "") return { folder: recorded, mode: "all" };
  return replayed === undefined || replayed === "" ? undefined : { folder: replayed, mode: "replay" };
}

/** Whether no server is contacted. */
export function isReplayed(options: CassetteOptions): boolean {
  return cassetteOf(options)?.mode === "replay";
}
