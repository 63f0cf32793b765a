import { nameForModels } from "../adapters/model-tools.js";
import type { Policy } from "../policy/policy.js";
import type { RegisteredTool } from "../registry/registered-tool.js";
import { createToolFinder, type ToolFinder, type ToolFinderOptions } from "../toolset/find-tools.js";

/** The tools that a session may show. */
export interface Catalog {
  readonly finder: ToolFinder;
  /** The visible tools by registered name, in the order of the source. */
  readonly visible: ReadonlyMap<string, RegisteredTool>;
  /** Returns a tool's name for models, which every provider accepts. */
  nameOf(tool: RegisteredTool): string;
}

interface Entry {
  readonly options: ToolFinderOptions;
  readonly catalog: Catalog;
}

/** Shared by all sessions of a registry, since an index of many tools is expensive. */
const known = new WeakMap<readonly RegisteredTool[], Entry[]>();
/** The maximum number of catalogs of one list, under different policies. */
const MOST_KEPT = 8;

/** Returns the same catalog for the same list and equal options. */
export function openCatalog(tools: readonly RegisteredTool[], options: ToolFinderOptions): Catalog {
  const entries = known.get(tools) ?? [];
  const found = entries.find((entry) => isSame(entry.options, options));
  if (found !== undefined) return found.catalog;
  const catalog = makeCatalog(tools, options);
  known.set(tools, [{ options, catalog }, ...entries].slice(0, MOST_KEPT));
  return catalog;
}

function isSame(a: ToolFinderOptions, b: ToolFinderOptions): boolean {
  return isSamePolicy(a.policy, b.policy) && a.embedder === b.embedder;
}

/** Sessions with the same additional roles have different policy objects. */
function isSamePolicy(a: Policy, b: Policy): boolean {
  return (
    a === b ||
    (a.writes === b.writes &&
      isSameList(a.layers, b.layers, (one, other) => one.name === other.name && one.rules === other.rules) &&
      isSameList(a.annotations, b.annotations, (one, other) => one[0] === other[0] && one[1] === other[1]))
  );
}

function isSameList<T>(a: readonly T[], b: readonly T[], isSameItem: (one: T, other: T) => boolean): boolean {
  return (
    a.length === b.length &&
    a.every((one, at) => {
      const other = b[at];
      return other !== undefined && isSameItem(one, other);
    })
  );
}

function makeCatalog(tools: readonly RegisteredTool[], options: ToolFinderOptions): Catalog {
  const finder = createToolFinder(tools, options);
  // Named before the policy applies, so that names do not depend on hidden tools.
  const names = new Map([...nameForModels(tools)].map(([name, tool]) => [tool, name]));
  return {
    finder,
    visible: new Map(finder.visible.map((tool) => [tool.name, tool])),
    nameOf: (tool) => names.get(tool) ?? tool.name,
  };
}

/** The names of the tools that searches have found. When it is full, the least recently used ones are removed. */
export class ActiveSet {
  readonly #most: number;
  /** The last use of each, in the order of finding. */
  readonly #uses = new Map<string, number>();
  #now = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** In the order of finding, which further uses do not change. */
  get names(): readonly string[] {
    return [...this.#uses.keys()];
  }

  /** Adds found tools, best first. Adding a tool again counts as a use. */
  add(names: readonly string[]): void {
    const found = names.slice(0, this.#most);
    for (const name of found) if (!this.#uses.has(name)) this.#uses.set(name, 0);
    // In reverse, so that the best is removed last.
    for (const name of found.toReversed()) this.use(name);
    const excess = this.#uses.size - this.#most;
    if (excess <= 0) return;
    const oldest = [...this.#uses].sort(([, a], [, b]) => a - b).slice(0, excess);
    for (const [name] of oldest) this.#uses.delete(name);
  }

  /** Records a call of a tool, unless it was removed. */
  use(name: string): void {
    if (!this.#uses.has(name)) return;
    this.#now += 1;
    this.#uses.set(name, this.#now);
  }

  /** Removes the names that do not match. */
  keep(matches: (name: string) => boolean): void {
    for (const name of this.names) if (!matches(name)) this.#uses.delete(name);
  }
}
