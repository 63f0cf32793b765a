import { statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { omitUndefined } from "../../core/collections.js";
import { codeOf, explainError, McpCodegenError } from "../../core/errors.js";
import { globFiles } from "../../files/read-files.js";
import { waitUnlessAborted } from "../../runtime/client/caller.js";
import type { AnyTool } from "../../core/tool.js";
import { isTool } from "../../runtime/tool.js";
import { findToolProblem, findToolsIn } from "./find-tool-problem.js";

export interface ModuleGlobs {
  /** Globs, relative to the root. Default: `tools/**` and `src/tools/**`. */
  readonly patterns?: readonly string[] | undefined;
  /** Further globs to ignore. Tests, specs, names that begin with `_` or a dot, and node_modules are always ignored. */
  readonly ignore?: readonly string[] | undefined;
}

/** One search for tools. */
export interface Discovery {
  /** Reports a skipped item: warns, or throws if discovery is strict. */
  readonly skip: (
    what: string,
    why: string,
    more?: { readonly hint?: string | undefined; readonly cause?: unknown },
  ) => void;
  /** Ends the search. */
  readonly signal: AbortSignal | undefined;
  /** Present while tools are watched. */
  readonly watch?: DiscoveryWatch | undefined;
}

export interface DiscoveryWatch {
  /** Searches again when something in this folder or below changes. The folder need not exist yet. */
  readonly dependOn: (folder: string) => void;
  /** By path, the states of modules when they were imported. */
  readonly imported: Map<string, { readonly state: string; readonly url: string }>;
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
export async function* importMatching(
  root: string,
  { patterns = PATTERNS, ignore = [] }: ModuleGlobs,
  discovery: Discovery,
): AsyncGenerator<AnyTool> {
  for (const pattern of patterns) {
    refuseOutside(pattern);
    if (!pattern.startsWith("!")) discovery.watch?.dependOn(join(root, baseOf(pattern)));
  }
  const paths = await globFiles(patterns, {
    cwd: root,
    ignore: [...IGNORED, ...ignore],
    ...omitUndefined({ signal: discovery.signal }),
  });
  const files = new Set(paths.filter((file) => MODULE.test(file)).sort());
  // While tools are watched, the first module may come later.
  if (files.size === 0 && discovery.watch === undefined)
    discovery.skip(`Root ${JSON.stringify(root)}`, `it has no modules at ${patterns.join(", ")}.`);
  const groups: ToolGroup[] = [];
  for (const file of files)
    if (!/\.[cm]?ts$/.test(file) || !files.has(file.replace(/ts$/, "js")))
      yield* importTools(join(root, file), discovery, groups);
  // A module may also export its tools, or those of other modules, as a list.
  for (const { place, tools } of groups)
    if (tools.some((tool) => !origins.has(tool)))
      discovery.skip(place, "it holds tools, but is not a tool.", {
        hint: "Export each tool by its own name.",
      });
}

/** An export that is an array or an object of tools. */
interface ToolGroup {
  readonly place: string;
  readonly tools: readonly AnyTool[];
}

function refuseOutside(pattern: string): void {
  const path = pattern.replace(/^!/, "");
  if (!isAbsolute(path) && !path.split(/[/\\]/).includes("..")) return;
  const message = `Pattern ${JSON.stringify(pattern)} leads out of the root.`;
  throw new McpCodegenError("USAGE", message, { hint: "Name the folder as a root: roots: [folder]." });
}

/** Returns the folder of all files that a pattern can match. */
function baseOf(pattern: string): string {
  const parts = pattern.split("/");
  const firstGlob = parts.findIndex((part) => /[*?{}[\]()!+@]/.test(part));
  return parts.slice(0, firstGlob === -1 ? parts.length : firstGlob).join("/");
}

const origins = /* @__PURE__ */ new WeakMap<AnyTool, string>();

/** Returns the file of a tool that a search found. */
export function moduleOf(tool: AnyTool): string | undefined {
  return origins.get(tool);
}

/**
 * Yields the tools that a module exports, by default or by name. A module that cannot be imported is skipped with a warning, and so
 * is an export that looks like a tool and is not one.
 */
async function* importTools(
  path: string,
  { skip, signal, watch }: Discovery,
  groups: ToolGroup[],
): AsyncGenerator<AnyTool> {
  let exports: readonly (readonly [key: string, value: unknown])[];
  try {
    const url = watch === undefined ? pathToFileURL(path).href : freshUrl(path, watch);
    // Top-level code of a module may wait forever.
    const module = await waitUnlessAborted(import(url) as Promise<object>, signal);
    // Reading an export throws if circular imports have not set it yet.
    exports = Object.entries(module);
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    skip(`Tool module ${JSON.stringify(path)}`, wordsOf(cause), { cause, hint: hintFor(cause) });
    return;
  }
  // A module may export a value twice.
  const keys = new Map(exports.toReversed().map(([key, value]) => [value, key]));
  for (const [value, key] of [...keys].toReversed()) {
    if (isTool(value)) {
      if (!origins.has(value)) origins.set(value, path);
      yield value;
      continue;
    }
    const place = `Export ${JSON.stringify(key)} of tool module ${JSON.stringify(path)}`;
    groups.push({ place, tools: findToolsIn(value) });
    const problem = await findToolProblem(value, key);
    if (problem !== undefined) skip(place, problem.why, { hint: problem.hint });
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
  const words = explainError(cause);
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
