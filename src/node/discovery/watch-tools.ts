import type { AnyTool } from "../../runtime/tool.js";
import { createContext } from "./context-of.js";
import { collectTools, type DiscoveryOptions } from "./discover-tools.js";
import type { DiscoveryWatch } from "./discovery.js";
import { FolderWatch } from "./folder-watch.js";

/**
 * The tools as they are, and again whenever they have changed: a tool added, removed, or its module written anew. A changed
 * module is imported again; what it imports itself is not, and Node keeps the old one in memory, so this is for development.
 * Ends when the signal aborts or the loop over it is left.
 */
export async function* watchTools(options: DiscoveryOptions = {}): AsyncGenerator<readonly AnyTool[]> {
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
      const tools = await collectTools(options, { ...createContext(options), watch });
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
