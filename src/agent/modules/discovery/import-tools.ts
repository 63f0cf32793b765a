import { omitUndefined } from "../../../core/collections.js";
import { type AnyTool, isTool } from "../../../runtime/tool.js";
import { McpCodegenError, codeOf } from "../../../core/errors.js";
import { warn } from "../../../runtime/events.js";
import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { waitUnlessAborted } from "../../../runtime/client/caller.js";

/** A strategy for roots: yields absolute paths of folders to search. */
export type RootDiscovery = () => AsyncGenerator<string>;

/** A strategy for tools: yields the tools in a folder. It may ignore the context. */
export type ToolDiscovery = (root: string, context?: DiscoveryContext) => AsyncGenerator<AnyTool>;

/** The context that discovery passes to a strategy. */
export interface DiscoveryContext {
  /** Whether a skipped item ends discovery with an error. */
  readonly isStrict?: boolean | undefined;
  /** Reports a skipped item: warns, or throws if discovery is strict. */
  readonly skip: (
    message: string,
    more?: { readonly hint?: string | undefined; readonly cause?: unknown },
  ) => void;
  /** Reports a problem, without skipping a module. */
  readonly warn: (message: string) => void;
  /** Ends the search. */
  readonly signal?: AbortSignal | undefined;
  /** Present while tools are watched: a strategy must then search again instead of using a cache. */
  readonly watch?: DiscoveryWatch | undefined;
}

export interface DiscoveryWatch {
  /** Searches again when something in this folder or below changes. The folder need not exist yet. */
  readonly dependOn: (folder: string) => void;
  /** By path, the states of modules when they were imported. */
  readonly imported: Map<string, { readonly state: string; readonly url: string }>;
}

interface ContextOptions {
  readonly strict?: boolean | undefined;
  readonly onWarning?: ((message: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export function createDiscoveryContext({
  strict = false,
  onWarning,
  signal,
}: ContextOptions): DiscoveryContext {
  return {
    isStrict: strict,
    skip(message, more = {}) {
      if (strict) throw new McpCodegenError("TOOL_MODULE_FAILED", message, omitUndefined(more));
      warn(more.hint === undefined ? message : `${message} ${more.hint}`, onWarning);
    },
    warn(message) {
      warn(message, onWarning);
    },
    signal,
  };
}

export function describeSkip({ isStrict = false }: DiscoveryContext): string {
  return isStrict ? "was refused" : "was skipped";
}

/** Returns the given context, or a new one for a strategy that is called directly. */
export function contextOf(context: DiscoveryContext | undefined): DiscoveryContext {
  return context ?? createDiscoveryContext({});
}

/** The files of tools, for warnings. */
const origins = /* @__PURE__ */ new WeakMap<AnyTool, string>();

/** Returns the file of a tool that {@link importTools} found. */
export function moduleOf(tool: AnyTool): string | undefined {
  return origins.get(tool);
}

/**
 * Imports a module and yields the tools that it exports, by default or by name. A module that cannot be imported is skipped with a
 * warning.
 *
 * @param path the absolute path of the module
 */
export async function* importTools(path: string, context?: DiscoveryContext): AsyncGenerator<AnyTool> {
  const known = contextOf(context);
  const { skip, signal, watch } = known;
  let values: readonly unknown[];
  try {
    const url = watch === undefined ? pathToFileURL(path).href : freshUrl(path, watch);
    // Top-level code of a module may wait forever.
    const module = await waitUnlessAborted(import(url) as Promise<object>, signal);
    // Reading an export throws if circular imports have not set it yet.
    values = Object.values(module);
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    const hint = hintFor(cause);
    skip(`Tool module ${JSON.stringify(path)} ${describeSkip(known)}: ${wordsOf(cause)}`, { cause, hint });
    return;
  }
  for (const tool of new Set(values)) {
    if (!isTool(tool)) continue;
    if (!origins.has(tool)) origins.set(tool, path);
    yield tool;
  }
}

/** Returns a new URL for a module that has changed, since Node imports each URL only once. */
function freshUrl(path: string, { imported }: DiscoveryWatch): string {
  const { mtimeMs, size } = statSync(path);
  const state = `${mtimeMs}-${size}`;
  const last = imported.get(path);
  if (last?.state === state) return last.url;
  const plain = pathToFileURL(path).href;
  const url = last === undefined ? plain : `${plain}?changed=${state}`;
  imported.set(path, { state, url });
  return url;
}

function wordsOf(cause: unknown): string {
  const words = cause instanceof Error ? cause.message : String(cause);
  return /[.!?]$/.test(words) ? words : `${words}.`;
}

/** Explains how to fix Node's errors about modules in TypeScript. */
function hintFor(cause: unknown): string | undefined {
  switch (codeOf(cause) ?? "") {
    case "ERR_UNKNOWN_FILE_EXTENSION":
      return `Node ${process.version} does not import TypeScript: use 22.18 or later, start it with "--import tsx", or have the patterns name the compiled files.`;
    case "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX":
      return 'Node removes types and nothing else: set "erasableSyntaxOnly" in tsconfig.json, or have the patterns name the compiled files.';
    default:
      return undefined;
  }
}
