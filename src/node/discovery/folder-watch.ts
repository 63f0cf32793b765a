import { existsSync, readdirSync, watch, type FSWatcher } from "node:fs";
import { dirname, join, sep } from "node:path";

/** Milliseconds of quiet before a change is reported: editors write a file in several steps. */
const QUIET = 50;

/**
 * Watches folders with all that is below them, one by one: what Node calls recursive misses what happens in new folders on
 * Linux. Used in rounds: `begin`, `add` what is needed, `dropOthers`, and wait until something has `changed`.
 */
export class FolderWatch {
  readonly #watchers = new Map<string, FSWatcher>();
  #needed = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hasChanged = false;
  #onChanged: (() => void) | undefined;

  /** Begins a round. What changes from now on ends it. */
  begin(): void {
    this.#needed = new Set();
    this.#hasChanged = false;
  }

  /** Watches a folder and those below, node_modules and hidden ones aside; its parent while it is not there. */
  add(folder: string): void {
    if (existsSync(folder)) {
      this.#watchTree(folder);
      return;
    }
    let above = dirname(folder);
    while (!existsSync(above) && dirname(above) !== above) above = dirname(above);
    this.#watch(above);
  }

  /** Lets go of folders that this round did not ask for. */
  dropOthers(): void {
    for (const [folder, watcher] of this.#watchers) {
      if (this.#needed.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
  }

  /** Resolves once something has changed since the round began, or by `wake`. */
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
      // It was removed meanwhile; the watch of its parent reports that.
      if (existsSync(folder)) throw error;
    }
  }

  #watch(folder: string): void {
    this.#needed.add(folder);
    if (this.#watchers.has(folder)) return;
    const watcher = watch(folder, (event, name) => {
      // A folder that comes again under its name is another one.
      if (event === "rename" && name !== null) this.#forget(join(folder, name));
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => {
        this.wake();
      }, QUIET);
    });
    // The folder was removed; the watch of its parent reports that.
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
