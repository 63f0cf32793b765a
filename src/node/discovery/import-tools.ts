import { type AnyTool, isTool } from "../../runtime/tool.js";
import { McpCodegenError } from "../../contract/errors.js";
import { warn } from "../../runtime/events.js";
import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { waitUnlessAborted } from "../../runtime/client/wait-unless-aborted.js";
import { codeOf } from "../../contract/code-of.js";

/** Where to look: yields absolute paths of folders. */
export type RootDiscovery = () => AsyncGenerator<string>;

/** What is in a folder: yields tools, one after another. `(root) => …` without the context is as good. */
export type ToolDiscovery = (root: string, context?: DiscoveryContext) => AsyncGenerator<AnyTool>;

/** What discovery gives to a strategy. */
export interface DiscoveryContext {
  /** Whether something that cannot be used ends discovery with an error. */
  readonly isStrict?: boolean;
  /** Reports what is left out. Throws it when discovery is strict. */
  readonly skip: (message: string, more?: { readonly hint?: string; readonly cause?: unknown }) => void;
  /** Reports something that leaves nothing out. */
  readonly warn: (message: string) => void;
  /** Ends the search. */
  readonly signal?: AbortSignal;
  /** Present while tools are watched: then what a strategy remembers is to be looked up anew. */
  readonly watch?: DiscoveryWatch;
}

export interface DiscoveryWatch {
  /** Looks again when something in this folder or below changes; one that is not there yet may come. */
  readonly dependOn: (folder: string) => void;
  /** The state of modules when they were imported, by path. */
  readonly imported: Map<string, { readonly state: string; readonly url: string }>;
}

interface ContextOptions {
  readonly strict?: boolean;
  readonly onWarning?: (message: string) => void;
  readonly signal?: AbortSignal;
}

/** A context that warns, or throws when strict. */
export function createContext({ strict = false, onWarning, signal }: ContextOptions): DiscoveryContext {
  return {
    isStrict: strict,
    skip(message, more = {}) {
      if (strict) throw new McpCodegenError("TOOL_MODULE_FAILED", message, more);
      warn(more.hint === undefined ? message : `${message} ${more.hint}`, onWarning);
    },
    warn(message) {
      warn(message, onWarning);
    },
    ...(signal && { signal }),
  };
}

/** What happens to something that cannot be used: a strict search refuses it, and ends. */
export function describeSkip({ isStrict = false }: DiscoveryContext): string {
  return isStrict ? "was refused" : "was skipped";
}

/** Returns the given context, or a new one for a strategy that is called alone. */
export function contextOf(context: DiscoveryContext | undefined): DiscoveryContext {
  return context ?? createContext({});
}

/** Where tools came from, for the words of warnings. */
const origins = /* @__PURE__ */ new WeakMap<AnyTool, string>();

/** The file of a tool that {@link importTools} found. */
export function originOf(tool: AnyTool): string | undefined {
  return origins.get(tool);
}

/**
 * The tools that a module exports, by default and by name. The module is run. One that cannot be imported is skipped with
 * a warning.
 *
 * @param path Absolute path of the module.
 */
export async function* importTools(path: string, context?: DiscoveryContext): AsyncGenerator<AnyTool> {
  const known = contextOf(context);
  const { skip, signal, watch } = known;
  let values: readonly unknown[];
  try {
    const url = watch === undefined ? pathToFileURL(path).href : freshUrl(path, watch);
    // A module may wait for ever at its top.
    const module = await waitUnlessAborted(import(url) as Promise<object>, signal);
    // Reading an export throws while a circle of imports has not set it.
    values = Object.values(module);
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    const hint = hintFor(cause);
    skip(`Tool module ${JSON.stringify(path)} ${describeSkip(known)}: ${wordsOf(cause)}`, {
      cause,
      ...(hint && { hint }),
    });
    return;
  }
  for (const tool of new Set(values)) {
    if (!isTool(tool)) continue;
    if (!origins.has(tool)) origins.set(tool, path);
    yield tool;
  }
}

/** Another address for a module that changed since it was imported: Node never forgets one. */
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

/** How to fix Node's error about a module in TypeScript. */
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
