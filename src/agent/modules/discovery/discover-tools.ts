import { existsSync, type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import { dirname, join, sep } from "node:path";
import { checkOptions, FLAG, FUNCTION, OBJECT } from "../../../core/check-options.js";
import { McpCodegenError } from "../../../core/errors.js";
import { type AnyTool, isTool, type ServerDefinition } from "../../../runtime/tool.js";
import type { ServerSource } from "../../registry/registry.js";
import {
  createDiscoveryContext,
  defaultRoots,
  describeSkip,
  type DiscoveryContext,
  type DiscoveryWatch,
  globTools,
  moduleOf,
  type RootDiscovery,
  type ToolDiscovery,
} from "./strategies.js";

export interface DiscoveryOptions {
  /** Finds the folders to search. Default: {@link defaultRoots}. */
  readonly roots?: RootDiscovery | undefined;
  /** Finds the tools in a folder. Default: {@link globTools}. */
  readonly tools?: ToolDiscovery | undefined;
  /** Throws instead of warning for a module that fails and for a root that is not a folder. */
  readonly strict?: boolean | undefined;
  /** Selects one of two tools with the same name and server. `last` and `first` warn. Default: `last`. */
  readonly onDuplicate?: "last" | "first" | "error" | undefined;
  /** Receives warnings about skipped items. Default: `process.emitWarning`. */
  readonly onWarning?: ((message: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @throws McpCodegenError `USAGE` for an unknown option */
function checkDiscoveryOptions(caller: string, options: DiscoveryOptions): void {
  checkOptions<DiscoveryOptions>(caller, options, {
    roots: FUNCTION,
    tools: FUNCTION,
    strict: FLAG,
    onDuplicate: ["last", "first", "error"],
    onWarning: FUNCTION,
    signal: OBJECT,
  });
}

/**
 * Finds the tools that modules of this program export, generated and hand-written ones, in the order in which their names were
 * found.
 *
 * @throws McpCodegenError with `strict` and `onDuplicate: "error"`; the signal's reason when it aborts
 */
export async function discoverTools(options: DiscoveryOptions = {}): Promise<readonly AnyTool[]> {
  checkDiscoveryOptions("discoverTools", options);
  return collectTools(options, createDiscoveryContext(options));
}

/**
 * As {@link discoverTools}, but yields each tool as soon as it is found. With `onDuplicate: "last"`, a later tool replaces an
 * earlier one of the same name.
 */
export function discoverToolsStream(options: DiscoveryOptions = {}): AsyncGenerator<AnyTool> {
  checkDiscoveryOptions("discoverToolsStream", options);
  return streamTools(options, createDiscoveryContext(options));
}

async function collectTools(
  options: DiscoveryOptions,
  context: DiscoveryContext,
): Promise<readonly AnyTool[]> {
  const tools = new Map<string, AnyTool>();
  for await (const tool of streamTools(options, context)) tools.set(keyOf(tool), tool);
  return [...tools.values()];
}

async function* streamTools(
  { roots = defaultRoots, tools = globTools(), onDuplicate = "last" }: DiscoveryOptions,
  context: DiscoveryContext,
): AsyncGenerator<AnyTool> {
  const found = new Map<string, AnyTool>();
  for await (const root of roots()) {
    if (!isFolder(root)) {
      context.skip(`Root ${JSON.stringify(root)} ${describeSkip(context)}: it is not a folder.`);
      continue;
    }
    for await (const tool of tools(root, context)) {
      if (!isTool(tool)) {
        context.skip(
          `A strategy found something in ${JSON.stringify(root)} that is not a tool; it ${describeSkip(context)}.`,
        );
        continue;
      }
      const before = found.get(keyOf(tool));
      // An index may export the tools of other modules again.
      if (before === tool) continue;
      if (before !== undefined && settleDuplicate(before, tool, onDuplicate, context) === before) continue;
      found.set(keyOf(tool), tool);
      yield tool;
    }
    // An aborted search must not look like a complete one.
    context.signal?.throwIfAborted();
  }
}

function settleDuplicate(
  before: AnyTool,
  tool: AnyTool,
  onDuplicate: "last" | "first" | "error",
  context: DiscoveryContext,
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
  context.warn(`${message} The ${onDuplicate} one is used.`);
  return kept;
}

function placeOf(tool: AnyTool): string {
  return JSON.stringify(moduleOf(tool) ?? "a strategy of the program");
}

/** A server's tool and a static tool may have the same name. */
function keyOf({ definition: { name, server } }: AnyTool): string {
  return JSON.stringify([server?.name, name]);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Converts tools to options of `createRegistry`: the servers with their tools, and the static tools. */
export function toRegistryOptions(tools: Iterable<AnyTool>): {
  readonly servers: readonly ServerSource[];
  readonly static: readonly AnyTool[];
} {
  const sources = new Map<string, { readonly server: ServerDefinition; readonly tools: AnyTool[] }>();
  const own: AnyTool[] = [];
  for (const tool of tools) {
    const { server } = tool.definition;
    if (server === undefined) {
      own.push(tool);
      continue;
    }
    const source = sources.get(server.name) ?? { server, tools: [] };
    sources.set(server.name, source);
    source.tools.push(tool);
  }
  // The form of a generated index: the server, and its tools under other names.
  const servers = [...sources.values()].map((source) => ({
    ...Object.fromEntries(source.tools.map((tool) => [`tool ${tool.definition.name}`, tool])),
    server: source.server,
  }));
  return { servers, static: own };
}

/**
 * Yields the tools, and again after each change: when tools are added or removed, or their modules are saved. A changed module is
 * imported again, but not the modules that it imports. Node keeps old versions in memory, so use this for development only.
 * Ends when the signal aborts or the loop over it ends.
 */
export async function* watchTools(options: DiscoveryOptions = {}): AsyncGenerator<readonly AnyTool[]> {
  checkDiscoveryOptions("watchTools", options);
  const { signal } = options;
  const folders = new FolderWatch();
  const onAbort = (): void => {
    folders.wake();
  };
  signal?.addEventListener("abort", onAbort);
  const watch: DiscoveryWatch = {
    dependOn: (folder) => {
      folders.add(folder);
    },
    imported: new Map(),
  };
  let last: readonly AnyTool[] | undefined;
  try {
    while (signal?.aborted !== true) {
      folders.begin();
      const tools = await collectTools(options, { ...createDiscoveryContext(options), watch });
      folders.dropOthers();
      if (!isSame(last, tools)) {
        last = tools;
        yield tools;
      }
      await folders.changed();
    }
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  } finally {
    signal?.removeEventListener("abort", onAbort);
    folders.close();
  }
}

function isSame(before: readonly AnyTool[] | undefined, after: readonly AnyTool[]): boolean {
  return before?.length === after.length && after.every((tool, index) => tool === before[index]);
}

/** Milliseconds without changes before a change is reported: editors write a file in several steps. */
const QUIET = 50;

/**
 * Watches folders and their subfolders one by one, since Node's recursive watching misses changes in new folders on Linux. Used in
 * rounds: `begin`, `add` the needed folders, `dropOthers`, and wait until something has `changed`.
 */
class FolderWatch {
  readonly #watchers = new Map<string, FSWatcher>();
  #needed = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hasChanged = false;
  #onChanged: (() => void) | undefined;

  /** Begins a round. The next change ends it. */
  begin(): void {
    this.#needed = new Set();
    this.#hasChanged = false;
  }

  /** Watches a folder and its subfolders except node_modules and hidden ones. Watches its parent while it does not exist. */
  add(folder: string): void {
    if (existsSync(folder)) {
      this.#watchTree(folder);
      return;
    }
    let above = dirname(folder);
    while (!existsSync(above) && dirname(above) !== above) above = dirname(above);
    this.#watch(above);
  }

  /** Stops watching folders that this round did not add. */
  dropOthers(): void {
    for (const [folder, watcher] of this.#watchers) {
      if (this.#needed.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
  }

  /** Resolves when something has changed since the round began, and on `wake`. */
  async changed(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (this.#hasChanged) resolve();
      else this.#onChanged = resolve;
    });
  }

  wake(): void {
    this.#hasChanged = true;
    this.#onChanged?.();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#needed = new Set();
    this.dropOthers();
  }

  #watchTree(folder: string): void {
    try {
      this.#watch(folder);
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (entry.isDirectory() && entry.name !== "node_modules" && !entry.name.startsWith("."))
          this.#watchTree(join(folder, entry.name));
      }
    } catch (error) {
      // The folder was removed meanwhile, which the watch of its parent reports.
      if (existsSync(folder)) throw error;
    }
  }

  #watch(folder: string): void {
    this.#needed.add(folder);
    if (this.#watchers.has(folder)) return;
    const watcher = watch(folder, (event, name) => {
      // A folder that is created again under its name needs a new watch.
      if (event === "rename" && name !== null) this.#forget(join(folder, name));
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => {
        this.wake();
      }, QUIET);
    });
    // The folder was removed, which the watch of its parent reports.
    watcher.on("error", () => undefined);
    this.#watchers.set(folder, watcher);
  }

  #forget(folder: string): void {
    for (const [path, watcher] of this.#watchers) {
      if (path !== folder && !path.startsWith(folder + sep)) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
  }
}
