import { omitUndefined } from "../../../core/collections.js";
import { isAbsolute, join, dirname, resolve } from "node:path";
import { existsSync } from "node:fs";
import { checkOptions, TEXTS } from "../../../core/check-options.js";
import { McpCodegenError } from "../../../core/errors.js";
import type { AnyTool } from "../../../runtime/tool.js";
import { contextOf, type ToolDiscovery, type RootDiscovery, importTools } from "./import-tools.js";

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
  return async function* (root, given): AsyncGenerator<AnyTool> {
    const context = contextOf(given);
    for (const pattern of patterns)
      if (!pattern.startsWith("!")) context.watch?.dependOn(join(root, baseOf(pattern)));
    const { glob } = await import("tinyglobby");
    const found = await glob([...patterns], {
      cwd: root,
      ignore: [...IGNORED, ...ignore],
      followSymbolicLinks: false,
      ...omitUndefined({ signal: context.signal }),
    });
    const files = new Set(found.filter((file) => MODULE.test(file)).sort());
    for (const file of files) {
      if (files.has(compiledOf(file))) continue;
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

/** Returns the compiled file of a TypeScript file; empty for other files. */
function compiledOf(file: string): string {
  return /\.[cm]?ts$/.test(file) ? file.replace(/ts$/, "js") : "";
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
    const known = context?.watch === undefined ? remembered.get(root) : undefined;
    if (known !== undefined) {
      yield* known;
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
  while (!existsSync(join(folder, "package.json"))) {
    const parent = dirname(folder);
    if (parent === folder) {
      yield start;
      return;
    }
    folder = parent;
  }
  yield folder;
};

/** Yields these folders in this order. Relative paths start at the working directory. */
export function explicitRoots(...folders: readonly string[]): RootDiscovery {
  // oxlint-disable-next-line typescript/require-await -- As above.
  return async function* () {
    for (const folder of folders) yield resolve(folder);
  };
}

/** Yields the folders of several strategies in order, each folder once. */
export function chainRoots(...strategies: readonly RootDiscovery[]): RootDiscovery {
  return async function* () {
    const seen = new Set<string>();
    for (const strategy of strategies) {
      for await (const root of strategy()) {
        if (seen.has(root)) continue;
        seen.add(root);
        yield root;
      }
    }
  };
}
