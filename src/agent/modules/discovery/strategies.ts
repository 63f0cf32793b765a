import { existsSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { checkOptions, TEXTS } from "../../../core/check-options.js";
import { omitUndefined } from "../../../core/collections.js";
import { codeOf, McpCodegenError } from "../../../core/errors.js";
import { globFiles } from "../../../files/read-files.js";
import { waitUnlessAborted } from "../../../runtime/client/caller.js";
import { warn } from "../../../runtime/events.js";
import type { AnyTool } from "../../../core/tool.js";
import { isTool } from "../../../runtime/tool.js";

export interface GlobToolsOptions {
  /** Globs, relative to the root. Default: `tools/**` and `src/tools/**`. */
  readonly patterns?: readonly string[] | undefined;
  /** Further globs to ignore. Tests, specs, names that begin with `_` or a dot, and node_modules are always ignored. */
  readonly ignore?: readonly string[] | undefined;
}

const PATTERNS = ["tools/**", "src/tools/**"];
const IGNORED = [
  "**/node_modules/**",
  "**/*.{test,spec}.*",
  "**/{__tests__,__mocks__}/**",
  "**/_*",
  "**/_*/**",
  "**/*.d.{ts,mts,cts}",
];
const MODULE = /\.[cm]?[jt]s$/;

/**
 * Imports the matching modules in the order of their paths, and yields the tools that they export. If there are `a.ts` and `a.js`,
 * only the compiled one is imported. Symbolic links are not followed, since they may lead out of the root or in circles.
 *
 * @throws McpCodegenError `USAGE` for a pattern that leads out of the root
 */
export function globTools(options: GlobToolsOptions = {}): ToolDiscovery {
  checkOptions("globTools", options, { patterns: TEXTS, ignore: TEXTS });
  const { patterns = PATTERNS, ignore = [] } = options;
  for (const pattern of patterns) refuseOutside(pattern);
  return async function* (root, discovery): AsyncGenerator<AnyTool> {
    const context = discovery ?? createDiscoveryContext();
    for (const pattern of patterns)
      if (!pattern.startsWith("!")) context.watch?.dependOn(join(root, baseOf(pattern)));
    const paths = await globFiles(patterns, {
      cwd: root,
      ignore: [...IGNORED, ...ignore],
      ...omitUndefined({ signal: context.signal }),
    });
    const files = new Set(paths.filter((file) => MODULE.test(file)).sort());
    for (const file of files) {
      if (/\.[cm]?ts$/.test(file) && files.has(file.replace(/ts$/, "js"))) continue;
      yield* importTools(join(root, file), context);
    }
  };
}

function refuseOutside(pattern: string): void {
  const path = pattern.replace(/^!/, "");
  if (!isAbsolute(path) && !path.split(/[/\\]/).includes("..")) return;
  const message = `Pattern ${JSON.stringify(pattern)} leads out of the root.`;
  throw new McpCodegenError("USAGE", message, { hint: "Name the folder as a root: explicitRoots(folder)." });
}

/** Returns the folder of all files that a pattern can match. */
function baseOf(pattern: string): string {
  const parts = pattern.split("/");
  const firstGlob = parts.findIndex((part) => /[*?{}[\]()!+@]/.test(part));
  return parts.slice(0, firstGlob === -1 ? parts.length : firstGlob).join("/");
}

/** A strategy that caches its tools until `clear()`. The cache is not used while tools are watched. */
export type CachedToolDiscovery = ToolDiscovery & {
  /** Clears the cache. */
  clear(): void;
};

/** Caches the tools that a strategy finds in each root. Searches that fail or are not finished are not cached. */
export function cacheTools(discovery: ToolDiscovery): CachedToolDiscovery {
  const remembered = new Map<string, readonly AnyTool[]>();
  const cached: ToolDiscovery = async function* (root, context) {
    const earlier = context?.watch === undefined ? remembered.get(root) : undefined;
    if (earlier !== undefined) {
      yield* earlier;
      return;
    }
    const tools: AnyTool[] = [];
    for await (const tool of discovery(root, context)) {
      tools.push(tool);
      yield tool;
    }
    remembered.set(root, tools);
  };
  return Object.assign(cached, {
    clear() {
      remembered.clear();
    },
  });
}

/** Yields the nearest folder with a package.json, from the working directory upwards; without one, the working directory. */
// oxlint-disable-next-line typescript/require-await -- A strategy that reads the disk would wait.
export const defaultRoots: RootDiscovery = async function* () {
  const start = process.cwd();
  let folder = start;
  while (!existsSync(join(folder, "package.json")) && dirname(folder) !== folder) folder = dirname(folder);
  yield existsSync(join(folder, "package.json")) ? folder : start;
};

/** Yields these folders in this order. Relative paths start at the working directory. */
export function explicitRoots(...folders: readonly string[]): RootDiscovery {
  // oxlint-disable-next-line typescript/require-await -- As above.
  return async function* () {
    for (const folder of folders) yield resolve(folder);
  };
}

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

export interface DiscoverySettings {
  /** Throws instead of warning for a module that fails and for a root that is not a folder. */
  readonly strict?: boolean | undefined;
  /** Receives warnings about skipped items. Default: `process.emitWarning`. */
  readonly onWarning?: ((message: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Without options for a strategy that is called directly. */
export function createDiscoveryContext({
  strict = false,
  onWarning,
  signal,
}: DiscoverySettings = {}): DiscoveryContext {
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
  const discovery = context ?? createDiscoveryContext();
  const { skip, signal, watch } = discovery;
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
    skip(`Tool module ${JSON.stringify(path)} ${describeSkip(discovery)}: ${wordsOf(cause)}`, {
      cause,
      hint,
    });
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
