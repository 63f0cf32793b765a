import type { ImportExtension } from "../config/config.js";
import type { Deprecation } from "../core/ability.js";
import type { Diagnostic } from "../core/diagnostic.js";
import type { JsonObject, JsonValue } from "../core/json.js";
import type { Dialect, FormatRule } from "../core/schema-ir.js";
import type { ToolSnapshot } from "../core/snapshot.js";

/** The inputs of one generated file, besides formatting and a tool's definition. Plain data, since it is digested. */
export type PlannedTask =
  | PlannedTool
  | PlannedSchemas
  | ServerTask
  | ServerIndexTask
  | IndexTask
  | PromptsTask
  | ResourcesTask;

/** The same with definitions, as rendered. */
export type RenderTask = ToolTask | SchemasTask | Exclude<PlannedTask, PlannedTool | PlannedSchemas>;

/** The settings of every module with calls. */
export interface ModuleSettings {
  /** Whether the server's module has the type `Environment`. */
  readonly hasEnvironments?: true;
  readonly importExtension: ImportExtension;
}

interface PlannedTool extends ToolPlan, ModuleSettings {}

/** The inputs of a tool's module that the tool alone determines. */
export interface ToolPlan {
  readonly kind: "tool";
  readonly server: string;
  readonly category?: string;
  /** From the configuration: the schema fills in its defaults, and the runtime sends them. */
  readonly defaults?: "parse";
  /** From the configuration: whether formats are asserted, and the dialect of schemas without `$schema`. */
  readonly formats?: FormatRule;
  readonly dialect?: Dialect;
  /** From the configuration: object schemas have the static type of a Zod object. */
  readonly schemas?: "open";
  /** Which variants list the tool, as a sentence; absent if all do. */
  readonly variants?: string;
  /** The output schema that the tool does not declare. */
  readonly output?: StatedOutput;
  /** The ability that the tool is called through. */
  readonly through?: AbilityCall;
  /** The ability's deprecation, if it is deprecated. */
  readonly deprecation?: Deprecation;
  readonly names: ToolCodeNames;
}

/** An output schema that is not the server's own: from the configuration, or learned from answers. */
export interface StatedOutput {
  readonly schema: JsonValue;
  /** The number of answers that it was learned from; absent for one of the configuration. */
  readonly observed?: number;
}

/** How an ability is called through the WordPress adapter's tool for all abilities. */
export interface AbilityCall {
  readonly ability: string;
  /** Which values are wrapped in an object. */
  readonly wrapped: readonly ("input" | "result")[];
}

export interface ToolTask extends PlannedTool {
  readonly definition: ToolSnapshot;
}

interface PlannedSchemas {
  readonly kind: "schemas";
  readonly server: string;
  readonly tools: readonly ToolCodeNames[];
}

export interface SchemasTask extends PlannedSchemas {
  /** In the same order as `tools`. */
  readonly definitions: readonly ToolSnapshot[];
}

export interface ServerTask {
  readonly kind: "server";
  readonly server: string;
  readonly contract: string;
  /** The connection settings that the server's module embeds. */
  readonly settings: JsonObject;
  /** The names of the server's environments; absent without environments. */
  readonly environments?: readonly string[];
}

export interface ServerIndexTask extends ModuleSettings {
  readonly kind: "server-index";
  readonly server: string;
  readonly tools: readonly ToolCodeNames[];
  /** The wrappers of read-only tools, whose calls are not recorded. */
  readonly readOnly: readonly string[];
  /** The wrappers of tools that only user interfaces call; absent without any. */
  readonly forApps?: readonly string[];
  /** Whether the server has a module of prompts, and one of resources. */
  readonly hasPrompts?: true;
  readonly hasResources?: true;
  /** The wrappers of tools that a variant, or `default`, does not list; absent without variants. */
  readonly notListed?: { readonly [view: string]: readonly string[] };
}

/** The prompts of one server. */
export interface PromptsTask extends ModuleSettings {
  readonly kind: "prompts";
  readonly server: string;
  readonly prompts: readonly PlannedEntry[];
}

/** The resources of one server, and its templates. */
export interface ResourcesTask extends ModuleSettings {
  readonly kind: "resources";
  readonly server: string;
  readonly resources: readonly PlannedEntry[];
  readonly templates: readonly PlannedEntry[];
}

/** A prompt, a resource or a template with its locked definition. */
export interface PlannedEntry {
  readonly names: EntryNames;
  readonly definition: JsonObject;
}

interface EntryNames {
  /** The prompt's name, the URI or the URI template. */
  readonly id: string;
  readonly wrapper: string;
  /** The interface of the arguments. */
  readonly arguments: string;
}

export interface IndexTask {
  readonly kind: "index";
  readonly servers: readonly ServerNames[];
  readonly importExtension: ImportExtension;
}

/** The names of a tool in generated code. They depend only on its name and the configuration. */
export interface ToolCodeNames {
  /** The tool's name on the server. */
  readonly tool: string;
  /** Without an extension. */
  readonly file: string;
  readonly wrapper: string;
  /** The interface and the schema of the arguments. */
  readonly input: string;
  /** The interface and the schema of the result; absent when the tool declares no output schema. */
  readonly output?: string;
}

export interface ServerNames {
  /** The server's key in the configuration. */
  readonly server: string;
  readonly folder: string;
  readonly namespace: string;
}

export interface FileToRender {
  readonly path: string;
  /** The header's `in:` digest. */
  readonly input: string;
  readonly task: RenderTask;
}

/** The outcome of a task: a file, or the tools that must be left out. */
export type Rendered = RenderedFile | { readonly refused: readonly RenderRefusal[] };

export interface RenderedFile {
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

export interface RenderRefusal {
  readonly tool: string;
  readonly reason: string;
}
