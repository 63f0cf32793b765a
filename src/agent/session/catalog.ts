import { NAME_LIMITS, nameForModels } from "../adapters/model-tools.js";
import type { Policy } from "../policy/policy.js";
import type { RegisteredTool } from "../registry/registered-tool.js";
import { createToolFinder, type ToolFinder, type ToolFinderOptions } from "../toolset/find-tools.js";

/** The tools that a session may show, and how they are found. */
export interface Catalog {
  readonly finder: ToolFinder;
  /** What the policy shows, by registered name, in the order of the source. */
  readonly visible: ReadonlyMap<string, RegisteredTool>;
  /** The name that every provider's models can call a tool by. */
  nameOf(tool: RegisteredTool): string;
}

interface Entry {
  readonly options: ToolFinderOptions;
  readonly catalog: Catalog;
}

/** Sessions over one registry share what was made of its tools: an index of a thousand is dear, and sessions are many. */
const known = new WeakMap<readonly RegisteredTool[], Entry[]>();
/** Under more policies than this at once, the oldest is made again when it is needed. */
const MOST_KEPT = 8;

/** The catalog of some tools: the same for the same list and options. */
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

/** Sessions that were narrowed alike have policies of their own that say the same. */
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
  // Of all tools, so that a name does not depend on what a policy hides.
  const names = new Map([...nameForModels(tools, NAME_LIMITS.openai)].map(([name, tool]) => [tool, name]));
  return {
    finder,
    visible: new Map(finder.visible.map((tool) => [tool.name, tool])),
    nameOf: (tool) => names.get(tool) ?? tool.name,
  };
}
