import { isJsonObject, mergeDefined, type JsonObject } from "../contract/json.js";
import { describeIssues, type Issue } from "../validation/schema.js";
import type { CallOptions } from "./call-options.js";
import { cassetteOf, useCassette, type CallContext } from "./cassette-use.js";
import type { Caller, ReadRequest } from "./client/caller.js";
import { failAborted, failCall, nounOf, toToolError, type Subject } from "./fail-call.js";
import { observeCall } from "./observe-call.js";
import { ServerRequestError, toRequestError, type RequestError } from "./request-error.js";
import type { Result, ToolError } from "./result.js";
import { scrubError } from "./scrub-error.js";
import type { EntryArgument, RequestOptions } from "./server-entry.js";
import type { ServerDefinition } from "./tool.js";

/** One prompt, resource or template: how it is requested, and how its answer is read. */
export interface Entry<T> {
  readonly kind: RequestError["kind"];
  readonly server: ServerDefinition;
  /** Its name; the URI or the URI template of a resource. */
  readonly name: string;
  readonly method: ReadRequest["method"];
  /** Returns the parameters of the request, or what is wrong with the arguments. */
  prepare(input: unknown): Promise<PreparedRequest>;
  /** Returns the value of a raw result, or why it has none. */
  read(result: JsonObject): { readonly value: T } | { readonly fault: string };
}

export type PreparedRequest =
  | { readonly name: string; readonly params: JsonObject; readonly arguments: JsonObject }
  | { readonly issues: readonly Issue[] };

/** Requests an entry with options and a way to find the connection of the request. */
export type SendRequest<T> = (
  input: unknown,
  options: RequestOptions | undefined,
) => Promise<Result<T, RequestError>>;

/** Returns how an entry is requested. Options of a request win over those it is bound to. */
export function bindEntry<T>(
  entry: Entry<T>,
  bound: CallOptions,
  findCaller: (options: CallOptions) => Caller,
): SendRequest<T> {
  return (input, given = {}) => {
    const options = mergeDefined(bound, given);
    return observeCall({ tool: entry, input, options }, async (report) => {
      const result = await requestEntry(entry, input, options, {
        findCaller: () => findCaller(given),
        report,
        scope: bound,
      });
      return result.ok ? result : { ok: false, error: toRequestError(entry.kind, result.error) };
    });
  };
}

/** Returns a function that throws what `safe` returns, with `safe` and the definition on it. */
export function toFunction<D, P extends readonly unknown[], T>(
  definition: D,
  safe: (...parameters: P) => Promise<Result<T, RequestError>>,
): ((...parameters: P) => Promise<T>) & { readonly safe: typeof safe; readonly definition: D } {
  const request = async (...parameters: P): Promise<T> => {
    const result = await safe(...parameters);
    if (result.ok) return result.value;
    throw new ServerRequestError(result.error);
  };
  return Object.assign(request, { safe, definition });
}

/** One request from input to result. Never rejects. */
async function requestEntry<T>(
  entry: Entry<T>,
  input: unknown,
  options: CallOptions,
  { findCaller, report, scope }: CallContext,
): Promise<Result<T>> {
  const { kind, server, method } = entry;
  let subject: Subject = { kind, server, name: entry.name };
  let caller: Caller | undefined;
  try {
    const prepared = await entry.prepare(input);
    if ("issues" in prepared) return refuseInput(subject, prepared.issues);
    subject = { ...subject, name: prepared.name };
    const { params } = prepared;
    const send = (): Promise<JsonObject> => {
      caller = findCaller();
      const origin = { server: server.name, [kind]: prepared.name };
      return caller.read({ method, params, origin }, options);
    };
    const cassette = cassetteOf(options);
    const scrub = (text: string): string => caller?.scrub(text) ?? text;
    const call = { definition: entry, arguments: prepared.arguments, scope, options, scrub, report };
    const raw = cassette === undefined ? await send() : await useCassette(cassette, call, send);
    const read = isJsonObject(raw) ? entry.read(raw) : { fault: "it is not an object" };
    if ("value" in read) return { ok: true, value: read.value };
    const message = `The answer of ${nounOf(subject)} is not valid: ${read.fault}.`;
    return fail(failCall(subject, "TOOL_INVALID_OUTPUT", message, { cause: raw }).error, caller);
  } catch (error) {
    if (options.signal?.aborted === true) return failAborted(subject, error);
    return fail(toToolError(subject, error), caller);
  }
}

function fail(error: ToolError, caller: Caller | undefined): Result<never> {
  return { ok: false, error: caller === undefined ? error : scrubError(error, caller) };
}

function refuseInput(subject: Subject, issues: readonly Issue[]): Result<never> {
  const message = `The input of ${nounOf(subject)} is invalid: ${describeIssues(issues)}`;
  return failCall(subject, "TOOL_INVALID_INPUT", message, { issues });
}

type Values = Readonly<Record<string, string | readonly string[]>>;

/**
 * Validates the arguments of a prompt or the variables of a template. `undefined` counts as absent, as does an empty list.
 *
 * @param isClosed whether other arguments are refused
 */
export function readArguments(
  input: unknown,
  known: readonly EntryArgument[],
  { isClosed }: { readonly isClosed: boolean },
): { readonly values: Values } | { readonly issues: readonly Issue[] } {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return { issues: [{ message: "arguments are an object" }] };
  const given: readonly (readonly [string, unknown])[] = Object.entries(input).filter(
    ([, value]) => value !== undefined,
  );
  const values: [string, string | readonly string[]][] = [];
  const issues: Issue[] = [];
  for (const [name, value] of given) {
    const argument = known.find((each) => each.name === name);
    if (argument === undefined && isClosed) issues.push({ message: "unknown argument", path: [name] });
    else if (typeof value === "string") values.push([name, value]);
    else if (argument?.isList === true && isTexts(value)) {
      if (value.length > 0) values.push([name, value]);
    } else {
      const message =
        argument?.isList === true ? "expected a string or a list of strings" : "expected a string";
      issues.push({ message, path: [name] });
    }
  }
  for (const { name, isRequired } of known) {
    const isNamed = [...values, ...issues.map(({ path }) => path ?? [])].some(([first]) => first === name);
    if (isRequired === true && !isNamed) issues.push({ message: "required", path: [name] });
  }
  return issues.length > 0 ? { issues } : { values: Object.fromEntries(values) };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
