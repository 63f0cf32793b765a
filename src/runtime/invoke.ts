import { isJsonObject, type JsonObject } from "../contract/json.js";
import { describeIssues, type Issue } from "../validation/schema.js";
import type { CallOptions } from "./call-options.js";
import { cassetteOf, isReplayed, useCassette, type CallContext } from "./cassette-use.js";
import { recordCall } from "./call-recorder.js";
import type { Caller } from "./client/caller.js";
import { warn } from "./events.js";
import { failAborted, failCall, toToolError } from "./fail-call.js";
import { validateInput } from "./validate-call.js";
import { readAnswer } from "./read-answer.js";
import type { Result } from "./result.js";
import { scrubError, scrubFields } from "./scrub-error.js";
import type { ToolDefinition } from "./tool.js";

/** One call from input to result. Never rejects. */
export async function invoke<I, O>(
  definition: ToolDefinition<I, O>,
  input: I,
  options: CallOptions,
  context: CallContext,
): Promise<Result<O>> {
  try {
    const prepared = prepareInput(input);
    if ("issues" in prepared) return refuseInput(definition, prepared.issues);
    const { value, issues } = await validateInput(definition, prepared.value);
    if (issues.length > 0 || !isArguments(value)) return refuseInput(definition, issues);
    const result = await send(definition, value, options, context);
    const { changes, environment, onWarning } = options;
    recordCall(changes, { tool: definition, args: value, result, environment }, onWarning);
    return result;
  } catch (error) {
    return { ok: false, error: toToolError(definition, error) };
  }
}

/** Sends arguments that fit. Never rejects. */
async function send<O>(
  definition: ToolDefinition<unknown, O>,
  value: JsonObject,
  options: CallOptions,
  { findCaller, report, scope }: CallContext,
): Promise<Result<O>> {
  let caller: Caller | undefined;
  const ask = (): Promise<unknown> => {
    caller = findCaller();
    return callServer(definition, value, options, caller);
  };
  const scrub = (text: string): string => caller?.scrub(text) ?? text;
  try {
    const cassette = cassetteOf(options);
    const result =
      cassette === undefined
        ? await ask()
        : await useCassette(cassette, { definition, arguments: value, scope, options, scrub, report }, ask);
    if (options.learn !== undefined && !isReplayed(options)) await learn(definition, result, options);
    const answer = await readAnswer(definition, result, options, (event, fields) => {
      report(event, caller === undefined ? fields : scrubFields(fields, caller));
    });
    return answer.ok || caller === undefined
      ? answer
      : { ok: false, error: scrubError(answer.error, caller) };
  } catch (error) {
    if (options.signal?.aborted === true) return failAborted(definition, error);
    const failure = toToolError(definition, error);
    if (failure.code !== "INPUT_REQUIRED" || caller === undefined) return { ok: false, error: failure };
    return { ok: false, error: scrubError(failure, caller) };
  }
}

/** Learns from an answer. What goes wrong is a warning: the call was made. */
async function learn(
  { server, name, output, observed }: ToolDefinition<unknown, unknown>,
  result: unknown,
  { learn: project, onWarning }: CallOptions,
): Promise<void> {
  if (project === undefined || project === false || (output !== undefined && observed === undefined)) return;
  try {
    const { learnAnswer } = await import("#cassette");
    const tool = { server: server.name, tool: name, contract: server.contract };
    await learnAnswer(project === true ? "." : project, tool, result);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    warn(`Nothing is learned from an answer of tool ${JSON.stringify(name)}: ${reason}`, onWarning);
  }
}

/** The raw result of the tool itself, which the server may have under another tool. */
async function callServer(
  definition: ToolDefinition<unknown, unknown>,
  value: JsonObject,
  options: CallOptions,
  caller: Caller,
): Promise<unknown> {
  const through = definition.through?.();
  const { name, inputSchema } = definition;
  const request = through?.toRequest(value) ?? { name, inputSchema, arguments: value };
  const isTask = definition.taskSupport === "required";
  const origin = { server: definition.server.name, tool: name };
  const raw = await caller.call(
    { ...request, origin, isTask, isRepeatable: isRepeatable(definition) },
    options,
  );
  return through !== undefined && isJsonObject(raw) ? through.fromResult(raw) : raw;
}

/** By the annotations that were locked, so by what somebody has read. */
function isRepeatable({ annotations }: ToolDefinition<unknown, unknown>): boolean {
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
}

function prepareInput(input: unknown): { readonly value: unknown } | { readonly issues: readonly Issue[] } {
  try {
    return { value: dropUndefined(input) };
  } catch (error) {
    if (error instanceof NotJsonError) return { issues: [{ message: error.message, path: error.path }] };
    throw error;
  }
}

/** `dropUndefined` has seen to it that what is inside can be written as JSON. */
function isArguments(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refuseInput(definition: ToolDefinition<unknown, unknown>, issues: readonly Issue[]): Result<never> {
  const found = issues.length === 0 ? [{ message: "arguments are an object" }] : issues;
  const message = `The input of tool ${JSON.stringify(definition.name)} is invalid: ${describeIssues(found)}`;
  return failCall(definition, "TOOL_INVALID_INPUT", message, { issues: found });
}

/** Deeper than any input of a person's making; a value that contains itself is found by it. */
const DEEPEST = 1_000;

/** A value that JSON has no form for. */
class NotJsonError extends Error {
  override readonly name = "NotJsonError";
  readonly path: readonly (string | number)[];

  constructor(what: string, path: readonly (string | number)[]) {
    super(what);
    this.path = path;
  }
}

/**
 * The value without the properties that hold `undefined`, at every depth. `undefined` is not JSON: such a key is not
 * sent. Where there is nothing to drop, what comes back is the value itself.
 *
 * @throws NotJsonError for a value that cannot be sent at all.
 */
export function dropUndefined(value: unknown, path: readonly (string | number)[] = []): unknown {
  if (typeof value === "bigint" || typeof value === "function" || typeof value === "symbol") {
    throw new NotJsonError(`a ${typeof value} cannot be sent`, path);
  }
  if (typeof value !== "object" || value === null) return value;
  if (path.length > DEEPEST)
    throw new NotJsonError("the value contains itself or is nested too deeply", path.slice(0, 5));
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const kept = items.map((item, index) => dropUndefined(item, [...path, index]));
    return kept.every((item, index) => item === items[index]) ? value : kept;
  }
  // Dates and the like write themselves.
  if ("toJSON" in value && typeof value.toJSON === "function") return value;
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value);
  const kept = entries
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => [key, dropUndefined(item, [...path, key])] as const);
  const isSame =
    kept.length === entries.length && kept.every(([, item], index) => item === entries[index]?.[1]);
  return isSame ? value : Object.fromEntries(kept);
}
