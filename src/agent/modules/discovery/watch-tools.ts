import { existsSync, readdirSync, watch, type FSWatcher } from "node:fs";
import { dirname, join, sep } from "node:path";
import type { AnyTool } from "../../../runtime/tool.js";
import { createDiscoveryContext, type DiscoveryWatch } from "./import-tools.js";
import { checkDiscoveryOptions, collectTools, type DiscoveryOptions } from "./discover-tools.js";

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
