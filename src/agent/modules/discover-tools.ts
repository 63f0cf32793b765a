import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  checkArgument,
  checkOptions,
  FLAG,
  FUNCTION,
  OBJECT,
  type OptionKind,
  SIGNAL,
  TEXT,
  TEXTS,
} from "../../core/check-options.js";
import { omitUndefined } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import { isFolderAt } from "../../files/read-files.js";
import { waitUnlessAborted } from "../../runtime/client/caller.js";
import { warn } from "../../runtime/events.js";
import type { AnyTool } from "../../core/tool.js";
import { isTool } from "../../runtime/tool.js";
import {
  type DiscoveryWatch,
  findToolProblem,
  importMatching,
  type ModuleGlobs,
  moduleOf,
} from "./import-modules.js";

/** Yields absolute paths of folders to search. */
export type RootDiscovery = () => AsyncGenerator<string>;

/** Yields the tools in a folder. */
export type ToolDiscovery = (root: string) => AsyncGenerator<AnyTool>;

export interface DiscoveryOptions {
  /**
   * The folders to search, in this order; relative paths start at the working directory. Default: the nearest folder with a
   * package.json, from the working directory upwards.
   */
  readonly roots?: readonly string[] | RootDiscovery | undefined;
  /** The modules in each folder, or a function that finds its tools. */
  readonly tools?: ModuleGlobs | ToolDiscovery | undefined;
  /** Selects one of two tools with the same name and server. `last` and `first` warn. Default: `last`. */
  readonly onDuplicate?: "last" | "first" | "error" | undefined;
  /** Throws instead of warning for a module that fails, an export that only looks like a tool, and a root that is not a folder. */
  readonly strict?: boolean | undefined;
  /** Receives warnings about skipped items. Default: `process.emitWarning`. */
  readonly onWarning?: ((message: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

function checkDiscoveryOptions(caller: string, options: DiscoveryOptions): void {
  checkOptions<DiscoveryOptions>(caller, options, {
    roots: [TEXTS, FUNCTION],
    tools: [OBJECT, FUNCTION],
    strict: FLAG,
    onDuplicate: ["last", "first", "error"],
    onWarning: FUNCTION,
    signal: SIGNAL,
  });
  if (typeof options.tools === "object")
    checkOptions<ModuleGlobs>(`${caller}: tools`, options.tools, { patterns: TEXTS, ignore: TEXTS });
}

/**
 * Finds the tools that modules of this program export, generated and hand-written ones, in the order in which their names were
 * found.
 *
 * @throws McpCodegenError with `strict` and `onDuplicate: "error"`; the signal's reason when it aborts
 */
export async function discoverTools(options: DiscoveryOptions = {}): Promise<readonly AnyTool[]> {
  checkDiscoveryOptions("discoverTools", options);
  return collectTools(options);
}

const GENERATOR: OptionKind = {
  words: "an async generator: async function* () { yield … }",
  is: (value) =>
    typeof value === "object" &&
    value !== null &&
    (Symbol.asyncIterator in value || Symbol.iterator in value),
};

async function collectTools(
  { roots, tools = {}, onDuplicate = "last", strict = false, onWarning, signal }: DiscoveryOptions,
  watch?: DiscoveryWatch,
): Promise<readonly AnyTool[]> {
  const byName = new Map<string, AnyTool>();
  const refused: McpCodegenError[] = [];
  const warnOf = (message: string): void => {
    warn(message, onWarning);
  };
  const skip = (
    what: string,
    why: string,
    more: { readonly hint?: string | undefined; readonly cause?: unknown } = {},
  ): void => {
    const message = `${what} was ${strict ? "refused" : "skipped"}: ${why}`;
    if (strict) refused.push(new McpCodegenError("TOOL_MODULE_FAILED", message, omitUndefined(more)));
    else warnOf(more.hint === undefined ? message : `${message} ${more.hint}`);
  };
  const caller = watch === undefined ? "discoverTools" : "watchTools";
  const folders = typeof roots === "function" ? roots() : (roots ?? [findPackage()]);
  checkArgument(caller, "result of roots()", folders, GENERATOR, `Use ${GENERATOR.words}.`);
  for await (const folder of folders) {
    checkArgument(caller, "folder of roots()", folder, TEXT);
    const root = resolve(folder);
    if (!isFolderAt(root)) {
      skip(`Root ${JSON.stringify(root)}`, "it is not a folder.");
      continue;
    }
    const search =
      typeof tools === "function" ? tools(root) : importMatching(root, tools, { skip, signal, watch });
    checkArgument(caller, "result of tools()", search, GENERATOR, `Use ${GENERATOR.words}.`);
    for await (const tool of search) {
      if (!isTool(tool)) {
        const problem = await findToolProblem(tool, "default");
        const { why = "it is not a tool.", hint } = problem ?? {};
        skip(`A value of "tools" in ${JSON.stringify(root)}`, why, { hint });
        continue;
      }
      const before = byName.get(keyOf(tool));
      // An index may export the tools of other modules again.
      const isAnother = before !== undefined && before !== tool;
      byName.set(keyOf(tool), isAnother ? settleDuplicate(before, tool, onDuplicate, warnOf) : tool);
    }
    // An aborted search must not look like a complete one.
    signal?.throwIfAborted();
  }
  const [first, ...others] = refused;
  if (first !== undefined) throw others.length === 0 ? first : joinErrors(refused);
  return [...byName.values()];
}

function joinErrors(errors: readonly McpCodegenError[]): McpCodegenError {
  const lines = errors.map(({ message, hint }) => (hint === undefined ? message : `${message} ${hint}`));
  return new McpCodegenError("TOOL_MODULE_FAILED", lines.join("\n"), { cause: errors[0] });
}

function findPackage(): string {
  const start = process.cwd();
  let folder = start;
  while (!existsSync(join(folder, "package.json")) && dirname(folder) !== folder) folder = dirname(folder);
  return existsSync(join(folder, "package.json")) ? folder : start;
}

function settleDuplicate(
  before: AnyTool,
  tool: AnyTool,
  onDuplicate: "last" | "first" | "error",
  warnOf: (message: string) => void,
): AnyTool {
  const { name, server } = tool.definition;
  const whose = server === undefined ? "" : ` of server ${JSON.stringify(server.name)}`;
  const message = `Tool ${JSON.stringify(name)}${whose} was found twice: ${placeOf(before)} and ${placeOf(tool)}.`;
  if (onDuplicate === "error") {
    throw new McpCodegenError("NAME_COLLISION", message, {
      hint: 'Rename one, or set onDuplicate to "first" or "last".',
    });
  }
  const kept = onDuplicate === "first" ? before : tool;
  warnOf(`${message} The ${onDuplicate} one is used.`);
  return kept;
}

function placeOf(tool: AnyTool): string {
  return JSON.stringify(moduleOf(tool) ?? "a function of the program");
}

/** A server's tool and a static tool may have the same name. */
function keyOf({ definition: { name, server } }: AnyTool): string {
  return JSON.stringify([server?.name, name]);
}

/** Milliseconds without changes before a change is reported: editors write a file in several steps. */
const QUIET = 50;
const HIDDEN = /[\\/](?:node_modules|\.[^\\/]*)$/;

/**
 * Yields the tools, and again after each change: when tools are added or removed, or their modules are saved. A changed module is
 * imported again, but not the modules that it imports. Node keeps old versions in memory, so use this for development only.
 * Ends when the signal aborts or the loop over it ends.
 */
export async function* watchTools(options: DiscoveryOptions = {}): AsyncGenerator<readonly AnyTool[]> {
  checkDiscoveryOptions("watchTools", options);
  const { signal } = options;
  const chokidar = await import("chokidar");
  const folders = new Set<string>();
  const watcher = chokidar.watch([], { ignored: (path) => HIDDEN.test(path) && !folders.has(path) });
  let onChange = (): void => undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // A folder that is new to the watcher counts as changed, so that nothing is missed between the search and its watch.
  watcher.on("all", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      onChange();
    }, QUIET);
  });
  const watch: DiscoveryWatch = {
    dependOn: (folder) => {
      if (!folders.has(folder)) watcher.add(folder);
      folders.add(folder);
    },
    imported: new Map(),
  };
  let last: readonly AnyTool[] | undefined;
  try {
    while (signal?.aborted !== true) {
      const changed = new Promise<void>((resolve) => {
        onChange = resolve;
      });
      const tools = await collectTools(options, watch);
      const before = last;
      const isSame = before?.length === tools.length && before.every((tool, at) => tool === tools[at]);
      if (!isSame) yield (last = tools);
      await waitUnlessAborted(changed, signal);
    }
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  } finally {
    clearTimeout(timer);
    await watcher.close();
  }
}
