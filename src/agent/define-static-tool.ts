import { CONNECT_OPTIONS } from "../runtime/tool.js";
import {
  checkOptions,
  FUNCTION,
  isPromise,
  HOLDER,
  OBJECT,
  TEXT,
  type OptionKind,
  type OptionRules,
} from "../core/check-options.js";
import { omitUndefined } from "../core/collections.js";
import { explainError, McpCodegenError, messageOf } from "../core/errors.js";
import type { JsonValue } from "../core/json.js";
import { ANNOTATIONS } from "../core/policy.js";
import type { ToolAnnotations } from "../core/snapshot.js";
import { recordCall, STATIC_SERVER } from "../runtime/call-recorder.js";
import { toFunction } from "../runtime/request.js";
import { type ReportEvent, warn } from "../runtime/events.js";
import { observeCall } from "../runtime/observe-call.js";
import type { AbortSignalLike } from "../core/abort-signal.js";
import type { Result, CallOptions } from "../core/call.js";
import { ToolCallError } from "../runtime/result.js";
import type { ToolDescription } from "../core/tool.js";
import { DEFAULT_OUTPUT_MODE, FORGOTTEN_AWAIT, validateOutput } from "../runtime/validate-call.js";
import { limitSignal } from "../client/abort-signal.js";
import type { Schema } from "../core/schema.js";
import { describeIssues, validate } from "../schema/validation/schema.js";
import { explainUnwritable } from "./adapters/model-parts.js";
import { lazySchema } from "./registry/registered-tool.js";
import { failInput, failTool } from "./registry/tool-names.js";

/** A schema with an input and an output type: any Standard Schema, such as a Zod schema. */
interface InputSchema<Given, Taken> extends Schema<Taken> {
  readonly "~standard": Schema<Taken>["~standard"] & {
    readonly types?: { readonly input: Given; readonly output: Taken } | undefined;
  };
}

/** The `AbortSignal` of the program's types, if they declare one. */
type Signal = typeof globalThis extends { AbortSignal: { prototype: infer T } } ? T : AbortSignalLike;

interface StaticToolContext {
  /** Aborts with the caller's signal, and when the call times out. */
  readonly signal: Signal;
  /** The environment of the call, if the caller named one. */
  readonly environment?: string;
}

interface JsonSchema {
  readonly [keyword: string]: unknown;
}

interface CommonDefinition<Taken, O> {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly category?: string | undefined;
  /** As of a server's tool: a tool without annotations counts as destructive. */
  readonly annotations?: ToolAnnotations | undefined;
  /** Validates the result of `execute`. */
  readonly output?: Schema<O> | undefined;
  /**
   * Does the work. Receives the output of the input schema, with defaults filled in. An error that it throws becomes
   * `TOOL_EXECUTION_FAILED`. A tool without it can be listed, and its calls fail with `TOOL_NOT_IMPLEMENTED`.
   */
  readonly execute?: ((input: Taken, context: StaticToolContext) => O | Promise<O>) | undefined;
}

interface GivenDefinition<Given, Taken, O> extends CommonDefinition<Taken, O> {
  readonly input?: InputSchema<Given, Taken> | undefined;
  /** The input schema for models, or a function that returns it. Default: that of `input` (Standard JSON Schema). */
  readonly inputSchema?: JsonSchema | (() => unknown) | undefined;
}

export interface StaticToolDefinition<Given, Taken, O> extends GivenDefinition<Given, Taken, O> {
  readonly input: InputSchema<Given, Taken>;
}

/** A static tool with only a JSON Schema, as in a list of MCP tools or of a model's tools, which validates its arguments. */
export interface PlainToolDefinition<O> extends CommonDefinition<Record<string, unknown>, O> {
  readonly input?: undefined;
  readonly inputSchema: JsonSchema | (() => unknown);
}

/** A static tool as a function. Like `Tool`, without a server. */
export interface StaticTool<Given, O> {
  /** @throws ToolCallError */
  (input: Given, options?: CallOptions): Promise<O>;
  /** Calls the tool and never throws. */
  safe(input: Given, options?: CallOptions): Promise<Result<O>>;
  readonly definition: ToolDescription<unknown, O> & { readonly server?: never };
}

const SCHEMA: OptionKind = {
  words: "a schema of Zod or another library of Standard Schema, such as z.object({ … })",
  is: (value) => HOLDER.is(value) && "~standard" in Object(value),
};

const OPTIONS: OptionRules<StaticToolDefinition<unknown, unknown, unknown>> = {
  name: TEXT,
  title: TEXT,
  description: TEXT,
  category: TEXT,
  annotations: OBJECT,
  input: SCHEMA,
  output: SCHEMA,
  inputSchema: HOLDER,
  execute: FUNCTION,
};

/**
 * Defines a tool that runs in this process. It is called and registered like a server's tool: input is validated, `.safe` never
 * throws, calls are logged. Of the call options, `signal`, `timeout`, `environment`, `output`, `changes` and those of logging
 * apply. The function has the name of the tool. A result that cannot be written as JSON is `TOOL_INVALID_OUTPUT`.
 *
 * @throws McpCodegenError `USAGE` for an unknown key, and without `input` and `inputSchema`
 */
export function defineStaticTool<Given, Taken, O>(
  definition: StaticToolDefinition<Given, Taken, O>,
): StaticTool<Given, O>;
export function defineStaticTool<O>(
  definition: PlainToolDefinition<O>,
): StaticTool<Record<string, unknown>, O>;
export function defineStaticTool<Given, Taken, O>(
  givenDefinition: GivenDefinition<Given, Taken, O>,
): StaticTool<Given, O> {
  checkOptions<object & { readonly name: string }>("defineStaticTool", givenDefinition, OPTIONS, ["name"]);
  const { name, annotations, inputSchema: raw } = givenDefinition;
  // Lists of MCP tools have titles among the annotations.
  if (annotations !== undefined)
    checkOptions<object>("defineStaticTool: annotations", annotations, { ...ANNOTATIONS, title: TEXT });
  const plain = raw === undefined || isFunction(raw) ? raw : () => raw;
  const input = givenDefinition.input ?? (plain && inputOf<Given, Taken>(plain));
  if (input === undefined) {
    throw new McpCodegenError("USAGE", `Tool ${JSON.stringify(name)} has no schema of its input.`, {
      hint: 'Set "input" to a schema such as one of Zod, or "inputSchema" to a JSON Schema.',
    });
  }
  const definition = omitUndefined({
    ...givenDefinition,
    input,
    inputSchema: plain ?? (() => schemaOf(name, input)),
  });
  const tool = toFunction(
    definition,
    (value: Given, options: CallOptions = {}) =>
      observeCall({ tool: definition, input: value, options }, (report) =>
        runStaticTool(definition, value, options, report),
      ),
    ToolCallError,
  );
  return Object.defineProperty(tool, "name", { value: name });
}

function isFunction(schema: JsonSchema | (() => unknown)): schema is () => unknown {
  return typeof schema === "function";
}

/** Validates arguments against a JSON Schema and passes them on unchanged. */
function inputOf<Given, Taken>(readSchema: () => unknown): InputSchema<Given, Taken> {
  return lazySchema(() => readSchema() as JsonValue) as InputSchema<Given, Taken>;
}

/** @throws Error if the input schema cannot be converted to JSON Schema */
function schemaOf(name: string, input: InputSchema<unknown, unknown>): unknown {
  const schema = input["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
  if (schema !== undefined) return schema;
  throw new Error(`Tool ${JSON.stringify(name)} has no JSON Schema for models. Set "inputSchema".`);
}

/** Never rejects. */
async function runStaticTool<Given, Taken, O>(
  definition: StaticToolDefinition<Given, Taken, O>,
  input: Given,
  options: CallOptions,
  report: ReportEvent,
): Promise<Result<O>> {
  const { execute, name, annotations } = definition;
  const { environment } = options;
  const tool = { name };
  if (execute === undefined) {
    const message = `Tool ${JSON.stringify(name)} has no "execute", so it cannot be called.`;
    return failTool(tool, "TOOL_NOT_IMPLEMENTED", message);
  }
  try {
    checkOptions(`The options of tool ${JSON.stringify(name)}`, options, CONNECT_OPTIONS);
  } catch (cause) {
    return failTool(tool, "TOOL_INVALID_INPUT", explainError(cause), { cause });
  }
  if (isPromise(input)) return failInput(tool, [{ message: FORGOTTEN_AWAIT }]);
  const verdict = await validate(definition.input, input);
  if (verdict.issues !== undefined) return failInput(tool, verdict.issues);
  const work = { hasBegun: false };
  const result = await perform(definition, options, report, (signal) => {
    work.hasBegun = true;
    return execute(verdict.value, environment === undefined ? { signal } : { signal, environment });
  });
  if (!work.hasBegun) return result;
  const recorded = { name, server: STATIC_SERVER, annotations };
  recordCall(options.changes, { tool: recorded, args: input, result, environment }, options.onWarning);
  return result;
}

async function perform<O>(
  definition: { readonly name: string; readonly output?: Schema<O> | undefined },
  options: CallOptions,
  report: ReportEvent,
  work: (signal: AbortSignal) => O | Promise<O>,
): Promise<Result<O>> {
  const { name } = definition;
  const { timeout } = options;
  const late = new DOMException("The operation was aborted due to timeout", "TimeoutError");
  const limit = limitSignal(options.signal, timeout ?? Infinity, () => late);
  const { signal } = limit;
  if (timeout !== undefined) limit.start();
  try {
    signal.throwIfAborted();
    const answer = await limit.race(Promise.resolve(work(signal)));
    return await judge(definition, answer, options, report);
  } catch (cause) {
    if (signal.aborted) {
      const retryable = signal.reason === late;
      const what = retryable ? `did not end within ${timeout} ms` : "was aborted";
      const message = `The call of tool ${JSON.stringify(name)} ${what}.`;
      return failTool({ name }, "TOOL_UNAVAILABLE", message, { cause, retryable });
    }
    const message = `Tool ${JSON.stringify(name)} failed: ${messageOf(cause)}`;
    const retryable = cause instanceof ToolCallError && cause.retryable;
    return failTool({ name }, "TOOL_EXECUTION_FAILED", message, { cause, retryable });
  } finally {
    limit.release();
  }
}

async function judge<O>(
  { name, output }: { readonly name: string; readonly output?: Schema<O> | undefined },
  value: O,
  { output: mode = DEFAULT_OUTPUT_MODE, onWarning }: CallOptions,
  report: ReportEvent,
): Promise<Result<O>> {
  const unwritable = explainUnwritable(name, value);
  if (unwritable !== undefined) {
    const message = `${unwritable} Return numbers, strings, booleans, null, arrays and plain objects.`;
    return failTool({ name }, "TOOL_INVALID_OUTPUT", message);
  }
  const issues = output === undefined ? [] : await validateOutput(output, value, mode, report);
  if (issues.length === 0) return { ok: true, value };
  const message = `The answer of tool ${JSON.stringify(name)} does not fit its output schema: ${describeIssues(issues)}.`;
  if (mode !== "warn") return failTool({ name }, "TOOL_INVALID_OUTPUT", message, { issues, cause: value });
  warn(message, onWarning);
  return { ok: true, value };
}
