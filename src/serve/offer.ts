import { FUNCTION, OBJECT, TEXT, type OptionRules } from "../contract/check-options.js";
import type { ModelSchema } from "../contract/model-schema.js";
import { CREATED_POLICY, type Policy } from "../agent/policy/policy.js";
import type { ToolProvider } from "../agent/registry/registry.js";
import type { Toolset } from "../agent/toolset/toolset.js";
import type { EntryList } from "../contract/entries.js";
import type { JsonObject } from "../contract/json.js";
import type { ServerIdentity, ToolAnnotations, ToolSnapshot } from "../contract/snapshot.js";
import { offerDirectly } from "./offer-directly.js";

/** How the tools of a registry are served. A toolset brings its own settings. */
export interface DirectOptions {
  /** The policy. Default: `createPolicy()`, which lists all tools and calls only read-only ones. */
  readonly policy?: Policy;
  /** A prefix for the names of the tools. Default: none. */
  readonly prefix?: string;
  /** As in the options of `createToolset`. */
  readonly writesHint?: (server: string) => string;
}

/** What can be served: a toolset as its five tools, a registry as its tools, or a list as it is. */
export type Servable = Toolset | DirectSource | RawSource;

/** Definitions and results that are sent as they are, such as those of a mock. No policy applies. */
export interface RawSource {
  /** Clients see all but its protocol version, and the capabilities as they are. */
  readonly identity: ServerIdentity;
  /** Returns the list beside the tools, for capabilities that declare one. */
  entries(list: EntryList): readonly JsonObject[];
  tools(): readonly ToolSnapshot[];
  /** Returns the raw result of a call. An error with a code of JSON-RPC is sent as such. */
  call(name: string, args: JsonObject): Promise<JsonObject>;
  /** Returns the raw result of another request. Errors are sent as those of a call. */
  read(request: RawRequest): Promise<JsonObject>;
  /** Subscribes to changes of the list. Returns a function that unsubscribes. */
  onChange?(listener: () => void): () => void;
}

/** A request for what a prompt or a resource contains. */
export type RawRequest =
  | { readonly method: "prompts/get"; readonly name: string; readonly arguments: JsonObject }
  | { readonly method: "resources/read"; readonly uri: string };

export function isRawSource(source: Servable): source is RawSource {
  return "tools" in source && "identity" in source;
}

/** A registry, or any object with tools like a registry. */
export interface DirectSource extends Omit<ToolProvider, "for"> {
  /** Subscribes to changes of the list. Returns a function that unsubscribes. */
  onChange?(listener: () => void): () => void;
}

/** What clients see and call. */
export interface Offer {
  /** Returns the tools that are also listed under these roles. */
  readonly list: (roles: readonly string[]) => Promise<readonly OfferedTool[]>;
  readonly answer: Toolset["answer"];
  readonly onChange?: (listener: () => void) => () => void;
}

/** A tool as in `tools/list`. */
export interface OfferedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: ModelSchema;
  readonly annotations: ToolAnnotations;
}

/**
 * Returns the served form of a toolset or a registry.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a prefix that providers would not take
 */
export function offerOf(source: Exclude<Servable, RawSource>, options: DirectOptions): Offer {
  if (!isToolset(source)) return offerDirectly(source, options);
  const tools = source.metaTools.map(({ name, description, inputSchema, annotations }) => ({
    ...{ name, description, annotations },
    inputSchema: { ...inputSchema, type: "object" as const },
  }));
  return { list: () => Promise.resolve(tools), answer: (...given) => source.answer(...given) };
}

function isToolset(source: Toolset | DirectSource): source is Toolset {
  return "metaTools" in source;
}

/** The identity that clients see. */
export interface ServeIdentity {
  readonly name: string;
  readonly version: string;
}

export interface ServeOptions extends DirectOptions {
  /** Default: `mcp-codegen`, without a version. */
  readonly identity?: ServeIdentity;
  /** Instructions about all tools for the client's model. Default: none. */
  readonly instructions?: string;
  /** Called with errors between clients and this server, except failed calls. */
  readonly onError?: (error: Error) => void;
}

export const SERVE_OPTIONS: OptionRules<ServeOptions> = {
  policy: CREATED_POLICY,
  prefix: TEXT,
  writesHint: FUNCTION,
  identity: OBJECT,
  instructions: TEXT,
  onError: FUNCTION,
};

/** A toolset that is being served. */
export interface Serving {
  /** Resolves when the last client has disconnected. Never rejects. */
  readonly closed: Promise<void>;
  /** Stops serving and aborts running calls. */
  close(): Promise<void>;
}
