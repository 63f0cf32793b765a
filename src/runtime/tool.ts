import type { Dialect, FormatRule } from "../contract/schema-ir.js";
import type { JsonObject } from "../contract/json.js";
import type { Schema } from "../validation/schema.js";
import type { ToolAnnotations } from "../contract/snapshot.js";
import type { ConnectionSettings, OutputMode, RecordSettings } from "../contract/connection.js";
import type { CallOptions } from "./call-options.js";
import type { Result } from "./result.js";

/** What is known of a tool, wherever it runs. */
export interface ToolDescription<I, O> {
  /** The server that has it; absent for a static tool, which is the program's own. */
  readonly server?: ServerDefinition;
  /** As the server calls it. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly category?: string;
  readonly annotations?: ToolAnnotations;
  /** `app`: the tool is called by a user interface (MCP Apps) and is not offered to models. */
  readonly visibility?: "app";
  readonly input: Schema<I>;
  readonly output?: Schema<O>;
  /** The raw input schema, for models. */
  readonly inputSchema: () => unknown;
  /** The raw output schema, where it is known: generated modules have it in their Zod schemas alone. */
  readonly outputSchema?: () => unknown;
  /** What the raw schemas are written in if they do not say so. */
  readonly dialect?: Dialect;
}

/** What generated code knows of one tool. */
export interface ToolDefinition<I, O> extends ToolDescription<I, O> {
  readonly server: ServerDefinition;
  /** `required`: the call is made as a task (specification 2025-11-25, "Tasks"). */
  readonly taskSupport?: "required" | "optional";
  /** `send`: absent optional keys that have a default in the input schema are sent with it. */
  readonly defaults?: "send";
  /** How the input schema is read for that: whether formats are asserted. */
  readonly formats?: FormatRule;
  /** How the call is made where the server does not have the tool itself; called for every call. */
  readonly through?: () => CallAdapter;
  /** Absent when the tool declares no output schema: then the answer is a `ToolContent`. */
  readonly output?: Schema<O>;
  /**
   * The number of answers that `output` was learned from, where the tool declares no output schema. An answer that does
   * not fit is then handed over, and reported as the event `tool.output.unobserved`.
   */
  readonly observed?: number;
}

/** A tool that is reached through another one. */
export interface CallAdapter {
  /** The name by which the server knows the tool, where it has another one there. */
  readonly target?: string;
  /** The call that stands for one with this input. */
  toRequest(input: JsonObject): { readonly name: string; readonly arguments: JsonObject };
  /** The raw result as the tool itself would have answered. */
  fromResult(result: JsonObject): JsonObject;
}

/** A tool of a server as a function. */
export interface Tool<I, O, Environment extends string = string> extends ToolMembers<I, O, Environment> {
  /**
   * Calls the tool. Input is validated before anything is sent, and the answer before it is handed over.
   *
   * @throws ToolCallError
   */
  (input: I, options?: CallOptions<Environment>): Promise<O>;
}

/** What a tool has beside its call. A generated interface extends it with a call that has the tool's own documentation. */
export interface ToolMembers<I, O, Environment extends string = string> {
  /** Calls the tool and never throws. */
  safe(input: I, options?: CallOptions<Environment>): Promise<Result<O>>;
  readonly definition: ToolDefinition<I, O>;
  /** The environment that its connection was made for, when one was named. */
  readonly environment?: string;
}

/** What every tool has in common, whatever it takes: the bound for registries (`Tool<I, O>` itself is invariant in `I`). */
export interface AnyTool {
  readonly definition: ToolDescription<unknown, unknown>;
  /** The environment that its connection was made for, when one was named. */
  readonly environment?: string;
  /** As {@link Tool.safe}: whatever is given is validated first. */
  safe(input: unknown, options?: CallOptions): Promise<Result<unknown>>;
}

/** A tool that a server has. */
export interface ServerTool extends AnyTool {
  readonly definition: ToolDefinition<unknown, unknown>;
}

/**
 * Whether a value is a tool: generated, static, or made by another copy of this package. Looks only at its shape and runs
 * no code of it, so any export of a module can be tested.
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

/** A server: its name, the version of its contract and how it is reached, variables unresolved. */
export interface ServerDefinition extends ConnectionSettings {
  readonly name: string;
  /** Semantic version of the contract that the code was generated from. Absent where nothing is locked. */
  readonly contract?: string;
  /** The `output` of calls that do not set it: `validateOutput` of the configuration. */
  readonly output?: OutputMode;
  /** `record` of the configuration: what cassettes of the server leave out. */
  readonly record?: RecordSettings;
}

/** The definition as it is. Generated code calls this, so that its form can grow. */
export function defineServer(server: ServerDefinition): ServerDefinition {
  return server;
}

/** The server of a tool that is not locked. */
export function withoutContract({ name, ...settings }: ServerDefinition): ServerDefinition {
  return { name, ...Object.fromEntries(Object.entries(settings).filter(([key]) => key !== "contract")) };
}
