import type { Dialect } from "../core/schema-ir.js";
import type { JsonObject } from "../core/json.js";
import type { Schema } from "../schema/validation/schema.js";
import type { ToolAnnotations } from "../core/snapshot.js";
import type { ConnectionSettings, InputMode, OutputMode, RecordSettings } from "../core/connection.js";
import type { CallOptions } from "./call-options.js";
import type { Result, ToolContent } from "./result.js";

/** The definition of a tool of a server, or of a static tool. */
export interface ToolDescription<I, O> {
  /** Absent for a static tool, which runs in the program itself. */
  readonly server?: ServerDefinition;
  /** The name that the server gives it. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly category?: string;
  readonly annotations?: ToolAnnotations;
  /** `app`: only a user interface calls the tool (MCP Apps). Models are not offered it. */
  readonly visibility?: "app";
  readonly input: Schema<I>;
  readonly output?: Schema<O>;
  /** Returns the raw input schema, for models. */
  readonly inputSchema: () => unknown;
  /** Returns the raw output schema. Absent in generated modules, which have only its Zod schema. */
  readonly outputSchema?: () => unknown;
  /** The dialect of raw schemas that do not declare one. */
  readonly dialect?: Dialect;
}

/** The definition of a tool in generated code. */
export interface ToolDefinition<I, O> extends ToolDescription<I, O> {
  readonly server: ServerDefinition;
  /** `parse`: the input as its schema returns it is sent, with the defaults of absent properties. */
  readonly defaults?: "parse";
  /** Returns how to call the tool through another one. Called for every call. */
  readonly through?: () => CallAdapter;
  /** Absent if the tool declares no output schema: the answer is a `ToolContent` then. */
  readonly output?: Schema<O>;
  /**
   * The number of answers from which `output` was learned, if the tool declares no output schema. An answer that does not fit
   * is returned anyway, and logged as `tool.output.unobserved`.
   */
  readonly observed?: number;
}

/** Calls a tool through another one. */
export interface CallAdapter {
  /** The name that the server gives the tool, if it differs. */
  readonly target?: string;
  /** Returns the call to send for an input. */
  toRequest(input: JsonObject): { readonly name: string; readonly arguments: JsonObject };
  /** Returns the raw result that the tool itself would have returned. */
  fromResult(result: JsonObject): JsonObject;
}

/**
 * A tool of a server as a function. Validates the input before anything is sent, and the answer before it is returned. A call
 * throws a `ToolCallError`.
 */
export interface Tool<I, O = ToolContent, Environment extends string = string>
  extends ToolMembers<I, O, Environment>, ToolFunction<I, O, Environment> {}

/** An undocumented function type, so that editors show and open the generated tool at a call, and not this. */
type ToolFunction<I, O, Environment extends string> = (
  input: I,
  options?: CallOptions<Environment>,
) => Promise<O>;

/** The members of a tool besides its call. */
export interface ToolMembers<I, O, Environment extends string = string> {
  /** Calls the tool. Returns errors instead of throwing them. */
  safe(input: I, options?: CallOptions<Environment>): Promise<Result<O>>;
  readonly definition: ToolDefinition<I, O>;
  /** The environment of its connection, if the connection names one. */
  readonly environment?: string;
  /** The option `validateInput` of its connection. */
  readonly validateInput?: InputMode;
}

/** Any tool. A registry accepts this, since `Tool<I, O>` is invariant in `I`. */
export interface AnyTool {
  readonly definition: ToolDescription<unknown, unknown>;
  /** The environment of its connection, if the connection names one. */
  readonly environment?: string;
  /** The option `validateInput` of its connection. */
  readonly validateInput?: InputMode;
  /** As {@link Tool.safe}. The input may be any value, since it is validated first. */
  safe(input: unknown, options?: CallOptions): Promise<Result<unknown>>;
}

/** A tool of a server. */
export interface ServerTool extends AnyTool {
  readonly definition: ToolDefinition<unknown, unknown>;
}

/**
 * Whether a value is a tool, possibly from another copy of this package. Checks only its shape and calls nothing, so that any
 * export of a module can be tested.
 */
export function isTool(value: unknown): value is AnyTool {
  try {
    if (!isObject(value) || !("safe" in value) || !("definition" in value)) return false;
    const { safe, definition } = value;
    return (
      typeof safe === "function" &&
      isObject(definition) &&
      "name" in definition &&
      typeof definition.name === "string" &&
      "input" in definition &&
      isObject(definition.input) &&
      "~standard" in definition.input &&
      "inputSchema" in definition &&
      typeof definition.inputSchema === "function"
    );
  } catch {
    // A getter or a proxy that throws.
    return false;
  }
}

function isObject(value: unknown): value is object {
  return Object(value) === value;
}

/** A server: its name, the version of its contract, and its connection settings with unresolved variables. */
export interface ServerDefinition extends ConnectionSettings {
  readonly name: string;
  /** The semantic version of the contract from which the code was generated. Absent without a lock. */
  readonly contract?: string;
  /** The default of the call option `output`: `validateOutput` of the configuration. */
  readonly output?: OutputMode;
  /** The default of the call option `validateInput`. */
  readonly validateInput?: InputMode;
  /** The values that cassettes leave out: `record` of the configuration. */
  readonly record?: RecordSettings;
}

/** Returns the definition. Generated code calls this, so that later versions can add to it. */
export function defineServer(server: ServerDefinition): ServerDefinition {
  return server;
}

/** Returns the server for a tool that is not locked. */
export function withoutContract({ name, ...settings }: ServerDefinition): ServerDefinition {
  return { name, ...Object.fromEntries(Object.entries(settings).filter(([key]) => key !== "contract")) };
}
