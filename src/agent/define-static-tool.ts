import { STATIC_TOOLS } from "../contract/connection.js";
import { checkOptions, FUNCTION, HOLDER, OBJECT, TEXT, type OptionRules } from "../contract/check-options.js";
import { McpCodegenError } from "../contract/errors.js";
import { findUnwritable } from "../contract/find-unwritable.js";
import type { JsonValue } from "../contract/json.js";
import { isContent } from "./adapters/model-parts.js";
import type { AbortSignalLike } from "../transport/abort-signal.js";
import type { CallOptions } from "../runtime/call-options.js";
import { observeCall } from "../runtime/observe-call.js";
import { type Result, ToolCallError, type ToolError, type ToolErrorCode } from "../runtime/result.js";
import { type Schema, describeIssues, type Issue, type Validated } from "../validation/schema.js";
import { toFunction } from "../runtime/request.js";
import type { ToolDescription } from "../runtime/tool.js";
import type { ToolAnnotations } from "../contract/snapshot.js";
import { recordCall, STATIC_SERVER } from "../runtime/call-recorder.js";
import { waitUnlessAborted } from "../runtime/client/wait-unless-aborted.js";
import { type ReportEvent, warn } from "../runtime/events.js";
import { DEFAULT_OUTPUT_MODE, validateOutput } from "../runtime/validate-call.js";

/** A schema that says what it takes and what it makes of it: any Standard Schema, such as one of Zod. */
export interface InputSchema<Given, Taken> extends Schema<Taken> {
  readonly "~standard": Schema<Taken>["~standard"] & {
    readonly types?: { readonly input: Given; readonly output: Taken } | undefined;
    /** Standard JSON Schema: Zod has it from 4.2 on. */
    readonly jsonSchema?: { readonly input: (options: { readonly target: "draft-2020-12" }) => unknown };
  };
}

/** The `AbortSignal` of the program's types, where they have one. */
type Signal = typeof globalThis extends { AbortSignal: { prototype: infer T } } ? T : AbortSignalLike;

/** The context of a call of a static tool. */
export interface StaticToolContext {
  /** Aborts with the caller's signal, and when the call times out. */
  readonly signal: Signal;
  /** The environment of the call, if the caller named one. */
  readonly environment?: string;
}

/** A JSON Schema as an object. */
interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** The definition of a static tool. */
export interface StaticToolDefinition<Given, Taken, O> {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly category?: string;
  /** As of a server's tool: without them a tool counts as one that writes and destroys. */
  readonly annotations?: ToolAnnotations;
  readonly input: InputSchema<Given, Taken>;
  /** If given, validates the result of `execute`. */
  readonly output?: Schema<O>;
  /** The input schema for models, or a function that returns it. Default: what `input` itself says (Standard JSON Schema). */
  readonly inputSchema?: JsonSchema | (() => unknown);
  /**
   * Does the work. Receives what `input` made of the arguments, defaults filled in. What it throws becomes
   * `TOOL_EXECUTION_FAILED`. A tool without it can be listed, and a call fails with `TOOL_NOT_IMPLEMENTED`.
   */
  readonly execute?: (input: Taken, context: StaticToolContext) => O | Promise<O>;
}

/** A static tool with a JSON Schema alone, as in a list of MCP or of a model's tools. Arguments are validated by it. */
export interface PlainToolDefinition<O> extends Omit<
  StaticToolDefinition<Record<string, unknown>, Record<string, unknown>, O>,
  "input" | "inputSchema"
> {
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

const OPTIONS: OptionRules<StaticToolDefinition<unknown, unknown, unknown>> = {
  name: TEXT,
  title: TEXT,
  description: TEXT,
  category: TEXT,
  annotations: OBJECT,
  input: HOLDER,
  output: HOLDER,
  inputSchema: HOLDER,
  execute: FUNCTION,
};

/**
 * A tool that runs in this process, called and registered like one of a server: input is validated, `.safe` never throws,
 * calls are logged. Of the call options, `signal`, `timeout`, `environment`, `output`, `changes` and those
 * of logging apply. The function's `name` is that of the tool. A result that JSON cannot hold is `TOOL_INVALID_OUTPUT`.
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
  given: Omit<StaticToolDefinition<Given, Taken, O>, "input"> & {
    readonly input?: InputSchema<Given, Taken> | undefined;
  },
): StaticTool<Given, O> {
  checkOptions<object & { readonly name: string }>("defineStaticTool", given, OPTIONS, ["name"]);
  const { inputSchema: raw } = given;
  const plain = raw === undefined || isFunction(raw) ? raw : () => raw;
  const input = given.input ?? (plain && inputOf<Given, Taken>(plain));
  if (input === undefined) {
    throw new McpCodegenError("USAGE", `Tool ${JSON.stringify(given.name)} has no schema of its input.`, {
      hint: 'Set "input" to a schema such as one of Zod, or "inputSchema" to a JSON Schema.',
    });
  }
  const { name } = given;
  const definition = { ...given, input, inputSchema: plain ?? (() => schemaOf({ name, input })) };
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

/** Validates arguments by a JSON Schema, which is read when the tool is first called. */
function inputOf<Given, Taken>(readSchema: () => unknown): InputSchema<Given, Taken> {
  let read: Promise<Schema<unknown>> | undefined;
  return {
    "~standard": {
      version: 1,
      vendor: "mcp-codegen",
      validate: async (value) => {
        read ??= import("./registry/live-schema.js").then(({ readLiveSchema }) =>
          readLiveSchema(readSchema() as JsonValue, undefined),
        );
        // A definition without `input` takes the arguments as they are.
        return (await (await read)["~standard"].validate(value)) as Validated<Taken>;
      },
    },
  };
}

/** @throws Error if the input schema cannot be converted to JSON Schema, and there is no `inputSchema` */
function schemaOf({
  name,
  input,
}: {
  readonly name: string;
  readonly input: InputSchema<unknown, unknown>;
}): unknown {
  const schema = input["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
  if (schema !== undefined) return schema;
  throw new Error(`Tool ${JSON.stringify(name)} has no JSON Schema for models. Set "inputSchema".`);
}

/** One call of a static tool from input to result. Never rejects. */
async function runStaticTool<Given, Taken, O>(
  definition: StaticToolDefinition<Given, Taken, O>,
  input: Given,
  options: CallOptions,
  report: ReportEvent,
): Promise<Result<O>> {
  const { execute, environment } = { ...definition, ...options };
  const tool = JSON.stringify(definition.name);
  if (execute === undefined) {
    return fail(definition, "TOOL_NOT_IMPLEMENTED", `Tool ${tool} has no "execute", so it cannot be called.`);
  }
  const verdict = await parse(definition.input, input);
  if (verdict.issues !== undefined) {
    const message = `The input of tool ${tool} is invalid: ${describeIssues(verdict.issues)}`;
    return fail(definition, "TOOL_INVALID_INPUT", message, { issues: verdict.issues });
  }
  const work = { hasBegun: false };
  const result = await perform(definition, { options, report }, (signal) => {
    work.hasBegun = true;
    return execute(verdict.value, { signal, ...(environment !== undefined && { environment }) });
  });
  if (!work.hasBegun) return result;
  const { name, annotations } = definition;
  const recorded = { name, server: STATIC_SERVER, ...(annotations && { annotations }) };
  recordCall(options.changes, { tool: recorded, args: input, result, environment }, options.onWarning);
  return result;
}

/** Does the work within the limits of a call. Never rejects. */
async function perform<O>(
  definition: { readonly name: string; readonly output?: Schema<O> },
  { options, report }: { readonly options: CallOptions; readonly report: ReportEvent },
  work: (signal: AbortSignal) => O | Promise<O>,
): Promise<Result<O>> {
  const tool = JSON.stringify(definition.name);
  const limits = limitCall(options);
  const { signal } = limits;
  try {
    signal.throwIfAborted();
    const answer = await waitUnlessAborted(Promise.resolve(work(signal)), signal);
    return await judge(definition, answer, options, report);
  } catch (cause) {
    if (signal.aborted) {
      const retryable = limits.isLate();
      const what = retryable ? `did not end within ${options.timeout} ms` : "was aborted";
      const message = `The call of tool ${tool} ${what}.`;
      return fail(definition, "TOOL_UNAVAILABLE", message, { cause, retryable });
    }
    const words = cause instanceof Error ? cause.message : String(cause);
    const retryable = cause instanceof ToolCallError && cause.retryable;
    return fail(definition, "TOOL_EXECUTION_FAILED", `Tool ${tool} failed: ${words}`, { cause, retryable });
  } finally {
    limits.release();
  }
}

/** What the schema makes of the input. One that throws has something against it. */
async function parse<T>(schema: Schema<T>, input: unknown): Promise<Validated<T>> {
  try {
    return await schema["~standard"].validate(input);
  } catch (error) {
    return { issues: [{ message: error instanceof Error ? error.message : String(error) }] };
  }
}

async function judge<O>(
  { name, output }: { readonly name: string; readonly output?: Schema<O> },
  value: O,
  { output: mode = DEFAULT_OUTPUT_MODE, onWarning }: CallOptions,
  report: ReportEvent,
): Promise<Result<O>> {
  const reason = findUnwritable(isContent(value) ? { ...value, json: undefined } : value);
  if (reason !== undefined) {
    const message = `The answer of tool ${JSON.stringify(name)} cannot be written as JSON: ${reason}. Return numbers, strings, booleans, null, arrays and plain objects.`;
    return fail({ name }, "TOOL_INVALID_OUTPUT", message);
  }
  const issues = output === undefined ? [] : await validateOutput(output, value, mode, report);
  if (issues.length === 0) return { ok: true, value };
  const message = `The answer of tool ${JSON.stringify(name)} does not fit its output schema: ${describeIssues(issues)}.`;
  if (mode !== "warn") return fail({ name }, "TOOL_INVALID_OUTPUT", message, { issues, cause: value });
  warn(message, onWarning);
  return { ok: true, value };
}

/** A signal that aborts with the caller's, and when the time is up. */
function limitCall({ signal: given, timeout }: CallOptions): {
  readonly signal: AbortSignal;
  isLate(): boolean;
  release(): void;
} {
  const controller = new AbortController();
  const { signal } = controller;
  const onAbort = (): void => {
    controller.abort(given?.reason);
  };
  if (given?.aborted === true) onAbort();
  given?.addEventListener("abort", onAbort);
  const late = new DOMException("The operation was aborted due to timeout", "TimeoutError");
  const timer =
    timeout === undefined ? undefined : setTimeout(controller.abort.bind(controller, late), timeout);
  return {
    signal,
    isLate: () => signal.reason === late,
    release() {
      clearTimeout(timer);
      given?.removeEventListener("abort", onAbort);
    },
  };
}

function fail(
  { name }: { readonly name: string },
  code: ToolErrorCode,
  message: string,
  more: { readonly retryable?: boolean; readonly issues?: readonly Issue[]; readonly cause?: unknown } = {},
): { readonly ok: false; readonly error: ToolError } {
  const { retryable = false, ...rest } = more;
  return { ok: false, error: { code, message, retryable, tool: name, server: STATIC_TOOLS, ...rest } };
}
