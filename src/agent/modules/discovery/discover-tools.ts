import { statSync } from "node:fs";
import { checkOptions, FLAG, FUNCTION, OBJECT } from "../../../core/check-options.js";
import { groupBy } from "../../../core/collections.js";
import { McpCodegenError } from "../../../core/errors.js";
import { waitUnlessAborted } from "../../../runtime/client/caller.js";
import type { AnyTool } from "../../../core/tool.js";
import { isTool } from "../../../runtime/tool.js";
import type { ServerSource } from "../../registry/registry.js";
import {
  type DiscoverySettings,
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

export interface DiscoveryOptions extends DiscoverySettings {
  /** Finds the folders to search. Default: {@link defaultRoots}. */
  readonly roots?: RootDiscovery | undefined;
  /** Finds the tools in a folder. Default: {@link globTools}. */
  readonly tools?: ToolDiscovery | undefined;
  /** Selects one of two tools with the same name and server. `last` and `first` warn. Default: `last`. */
  readonly onDuplicate?: "last" | "first" | "error" | undefined;
}

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

async function collectTools(
  { roots = defaultRoots, tools = globTools(), onDuplicate = "last" }: DiscoveryOptions,
  context: DiscoveryContext,
): Promise<readonly AnyTool[]> {
  const byName = new Map<string, AnyTool>();
  for await (const root of roots()) {
    if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) {
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
      const before = byName.get(keyOf(tool));
      // An index may export the tools of other modules again.
      const isAnother = before !== undefined && before !== tool;
      byName.set(keyOf(tool), isAnother ? settleDuplicate(before, tool, onDuplicate, context) : tool);
    }
    // An aborted search must not look like a complete one.
    context.signal?.throwIfAborted();
  }
  return [...byName.values()];
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

/** Converts tools to options of `createRegistry`: the servers with their tools, and the static tools. */
export function toRegistryOptions(tools: Iterable<AnyTool>): {
  readonly servers: readonly ServerSource[];
  readonly static: readonly AnyTool[];
} {
  const byServer = groupBy([...tools], ({ definition }) => definition.server?.name);
  // The form of a generated index: the server, and its tools under other names.
  const servers = [...byServer.values()].flatMap((ofServer) => {
    const { server } = ofServer[0].definition;
    const named = ofServer.map((tool) => [`tool ${tool.definition.name}`, tool] as const);
    return server === undefined ? [] : [{ ...Object.fromEntries(named), server }];
  });
  return { servers, static: byServer.get(undefined) ?? [] };
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
      const tools = await collectTools(options, { ...createDiscoveryContext(options), watch });
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
