import type { CallOptions, Result, ToolContent } from "./call.js";
import type { InputMode, OutputMode } from "./connection.js";
import type { ConnectionSettings, RecordSettings } from "./connection-settings.js";
import type { JsonObject } from "./json.js";
import type { Schema } from "./schema.js";
import type { Dialect, FormatRule } from "./schema-ir.js";
import type { ToolAnnotations } from "./snapshot.js";

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

/** How far a program trusts a server beyond its lock. */
export interface ServerTrust {
  /** Takes tools that are not locked. */
  readonly newTools?: boolean | undefined;
  /** Believes what unlocked tools say about their effect: a tool that only reads needs no approval. */
  readonly hints?: boolean | undefined;
}

/** How schemas are read that generated code does not have: those of unlocked tools. */
export interface SchemaSettings {
  readonly dialect?: Dialect | undefined;
  readonly formats?: FormatRule | undefined;
  /** `parse`: inputs get the defaults of absent properties, which are sent. */
  readonly defaults?: "parse" | undefined;
}

/** A server: its name, the version of its contract, and its connection settings with unresolved variables. */
export interface ServerDefinition extends ConnectionSettings, SchemaSettings {
  readonly name: string;
  /** The semantic version of the contract from which the code was generated. Absent without a lock. */
  readonly contract?: string;
  /** The default of the call option `output`: `validateOutput` of the configuration. */
  readonly output?: OutputMode;
  /** The default of the call option `validateInput`. */
  readonly validateInput?: InputMode;
  readonly trust?: ServerTrust | undefined;
  /** The values that cassettes leave out: `record` of the configuration. */
  readonly record?: RecordSettings;
}

/** A call that another call makes in turn. */
export interface CallTarget {
  readonly tool: RegisteredTool;
  readonly args: unknown;
}

/** A tool of a server, or a static tool, under its name for models. */
export interface RegisteredTool extends Omit<ToolDescription<unknown, unknown>, "server"> {
  /** `server__tool`, or a static tool's own name. */
  readonly name: string;
  /** The tool's server; absent for a static tool. */
  readonly server?: string;
  /** The version of the contract in which the tool is locked. */
  readonly contract?: string;
  /** False for a live tool that is not in a lock. */
  readonly isLocked: boolean;
  /** The environment that its calls go to, if it differs between the tools of a source. */
  readonly environment?: string;
  /** True if the category is derived from the name. */
  readonly hasGuessedCategory?: true;
  /** True for a tool that a provider loads when a search has found it. */
  readonly isDeferred?: true;
  /** True for the search tool of a session. */
  readonly isSearch?: true;
  /** True for a tool that itself asks a person about the calls that it makes. */
  readonly asksItself?: true;
  /** True for an unlocked tool whose annotations count, since the program trusts its server. */
  readonly hasTrustedHints?: true;
  /** True for an unlocked tool that is called in a production environment. */
  readonly isProduction?: boolean;
  /**
   * Returns the tool and the arguments that a call of this one would call in turn, such as by `execute` of a toolset; undefined if it would call
   * none. Absent for a tool that does its own work.
   */
  readonly findTarget?: ((input: unknown) => Promise<CallTarget | undefined>) | undefined;
  /** Calls the tool, after validating the input. Never throws. */
  call(input: unknown, options?: CallOptions): Promise<Result<unknown>>;
}
