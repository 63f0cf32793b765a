import type { ImportExtension } from "../config/config.js";
import type { Deprecation } from "../contract/ability.js";
import type { Diagnostic } from "../contract/diagnostic.js";
import type { JsonObject } from "../contract/json.js";
import type { Dialect, FormatRule } from "../contract/schema-ir.js";
import type { ToolSnapshot } from "../contract/snapshot.js";

/** What one generated file is made of, beside the formatting and a tool's definition. Plain data: it is digested. */
export type PlannedTask = PlannedTool | PlannedSchemas | ServerTask | ServerIndexTask | IndexTask;

/** The same with the definitions, as it is rendered and sent to workers. */
export type RenderTask = ToolTask | SchemasTask | Exclude<PlannedTask, PlannedTool | PlannedSchemas>;

export interface PlannedTool {
  readonly kind: "tool";
  readonly server: string;
  readonly category?: string;
  /** As the configuration says: the runtime sends the schema's defaults. */
  readonly defaults?: "send";
  /** As the configuration says: whether formats are asserted, and what schemas are written in that do not say it. */
  readonly formats?: FormatRule;
  readonly dialect?: Dialect;
  /** As the configuration says: schemas of objects have the static type of a Zod object. */
  readonly schemas?: "open";
  /** The ability that the tool is called through. */
  readonly through?: AbilityCall;
  /** Where the ability is deprecated. */
  readonly deprecation?: Deprecation;
  readonly names: ToolNames;
  /** Whether the server's module has the type `Environment`. */
  readonly hasEnvironments?: true;
  readonly importExtension: ImportExtension;
}

/** How an ability is called by the tool that the adapter of WordPress has for all. */
export interface AbilityCall {
  readonly ability: string;
  /** What of it stands inside an object. */
  readonly wrapped: readonly ("input" | "result")[];
}

export interface ToolTask extends PlannedTool {
  readonly definition: ToolSnapshot;
}

/** The raw input schemas of one server's tools. */
export interface PlannedSchemas {
  readonly kind: "schemas";
  readonly server: string;
  readonly tools: readonly ToolNames[];
}

export interface SchemasTask extends PlannedSchemas {
  /** In the order of `tools`. */
  readonly definitions: readonly ToolSnapshot[];
}

export interface ServerTask {
  readonly kind: "server";
  readonly server: string;
  readonly contract: string;
  /** The connection settings that the server's module embeds. */
  readonly settings: JsonObject;
  /** The names of the server's environments; absent where it has none. */
  readonly environments?: readonly string[];
}

export interface ServerIndexTask {
  readonly kind: "server-index";
  readonly server: string;
  readonly tools: readonly ToolNames[];
  /** The wrappers of those that only read: their calls change nothing. */
  readonly readOnly: readonly string[];
  readonly hasEnvironments?: true;
  readonly importExtension: ImportExtension;
}

export interface IndexTask {
  readonly kind: "index";
  readonly servers: readonly ServerNames[];
  readonly importExtension: ImportExtension;
}

/** What one tool is called in generated code. A function of its name and the configuration alone. */
export interface ToolNames {
  /** As the server calls it. */
  readonly tool: string;
  /** Without an extension. */
  readonly file: string;
  /** The wrapper. */
  readonly wrapper: string;
  /** The interface of the wrapper. */
  readonly callable: string;
  /** The function that returns the raw input schema. */
  readonly schema: string;
  /** The interface and the schema of the arguments. */
  readonly input: string;
  /** Those of the answer; absent when the tool declares no output schema. */
  readonly output?: string;
}

export interface ServerNames {
  /** As the configuration calls it. */
  readonly server: string;
  readonly folder: string;
  readonly namespace: string;
}

/** One file to render. */
export interface FileToRender {
  readonly path: string;
  /** The header's `in:` digest. */
  readonly input: string;
  readonly task: RenderTask;
}

/** The outcome of one task: a file, or a tool that cannot have one. */
export type Rendered = RenderedFile | RefusedTool;

export interface RenderedFile {
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

export interface RefusedTool {
  /** Why. */
  readonly refused: string;
}
