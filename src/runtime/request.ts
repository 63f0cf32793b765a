import { omitUndefined } from "../core/collections.js";
import { mergeDefined, type JsonObject } from "../core/json.js";
import { describeIssues, type Issue } from "../schema/validation/schema.js";
import type { CallOptions } from "./call-options.js";
import { cassetteOf, useCassette } from "./cassette-use.js";
import type { Caller, CallerRequest } from "./client/caller.js";
import type { ReportEvent } from "./events.js";
import { failAborted, failCall, nounOf, toToolError, type Subject } from "./fail-call.js";
import type { InputQuestion } from "./input-question.js";
import { observeCall } from "./observe-call.js";
import type { Result, ToolError } from "./result.js";
import type { RequestError } from "./server-entry.js";

/** A tool, prompt or resource of a server: how a request for it is prepared, and how its answer is read. */
export interface Request<T, E extends ToolError | RequestError = ToolError> extends Subject {
  /** Returns the request to send, or the issues of the input. */
  prepare(input: unknown): Promise<PreparedRequest | { readonly issues: readonly Issue[] }>;
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
  readonly isTask?: boolean | undefined;
  readonly inputSchema?: (() => unknown) | undefined;
  /** Turns the result of another tool, through which the subject was called, into its own result. */
  readonly fromResult?: ((raw: unknown) => unknown) | undefined;
}

/** Finds the connection for a request, by the options of the request itself. */
export type FindCaller = (options: CallOptions) => Caller;

/**
 * Returns a function that sends a request and never rejects.
 *
 * @param bound options of the connection; those of a request take precedence
 */
export function bindRequest<T, E extends ToolError | RequestError>(
  request: Request<T, E>,
  bound: CallOptions,
  findCaller: FindCaller,
): (input: unknown, options?: CallOptions) => Promise<Result<T, E>> {
  return (input, given = {}) => {
    const options = mergeDefined(bound, given);
    return observeCall({ tool: request, input, options, given, bound, findCaller }, runRequest);
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
  { tool: request, input, options, given, bound, findCaller }: RequestCall<T, E>,
): Promise<Result<T, E>> {
  let subject: Subject = request;
  let args: JsonObject | undefined;
  let caller: Caller | undefined;
  let result: Result<T>;
  try {
    const prepared = await request.prepare(input);
    if ("issues" in prepared) {
      const message = `The input of ${nounOf(subject)} is invalid: ${describeIssues(prepared.issues)}`;
      result = failCall(subject, "TOOL_INVALID_INPUT", message, prepared);
    } else {
      const { name = request.name, fromResult, arguments: known, ...message } = prepared;
      subject = { ...subject, name };
      args = known;
      const origin = { server: request.server.name, [request.kind ?? "tool"]: name };
      const send = async (): Promise<unknown> => {
        caller = findCaller(given);
        const raw = await caller.send({ ...message, origin }, options);
        return fromResult === undefined ? raw : fromResult(raw);
      };
      const cassette = cassetteOf(options);
      const scrub = (text: string): string => caller?.scrub?.(text) ?? text;
      const call = { definition: request, arguments: args, scope: bound, options, scrub, report };
      const raw = cassette === undefined ? await send() : await useCassette(cassette, call, send);
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

/** Removes secrets from an error, since errors are written to logs and some servers repeat what they were sent. */
function scrubError(error: ToolError, caller: Caller | undefined): ToolError {
  const { message, issues, questions, cause } = error;
  if (caller?.scrub === undefined) return error;
  const scrub = caller.scrub.bind(caller);
  return omitUndefined({
    ...error,
    message: scrub(message),
    issues: issues?.map((issue) => ({ ...issue, message: scrub(issue.message) })),
    questions: questions?.map((question) => scrubQuestion(question, scrub)),
    cause: cause === undefined || cause instanceof Error ? cause : scrubValues(cause, caller),
  });
}

/** The other texts of a question were scrubbed when it was read. */
function scrubQuestion(question: InputQuestion, scrub: (text: string) => string): InputQuestion {
  return question.kind === "url" ? { ...question, url: scrub(question.url) } : question;
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
