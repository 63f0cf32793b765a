import type { Change } from "./change.js";
import { groupBy } from "./collections.js";
import { splitPointer } from "./json-pointer.js";
import type { JsonValue } from "./json.js";

/** A renamed tool, or a renamed property of its arguments or results. */
export interface Rename {
  readonly server: string;
  /** The tool's old name; of a property in a renamed tool, its new name, as in the change. */
  readonly tool: string;
  readonly kind: "tool" | "property";
  readonly before: string;
  readonly after: string;
  /** Who is responsible for it: the server declared it, or a person confirmed it. Absent for a guess, which is not applied. */
  readonly because?: "declared" | "confirmed";
  /** How sure the guess is, from 0 to 1. */
  readonly confidence?: number;
  readonly change: Change;
}

/** How a person names a rename on the command line: `shop/get_order=fetch_order`, `shop/find_orders.limit=per_page`. */
export function nameOfRename({ server, tool, kind, before, after }: Rename): string {
  return `${server}/${kind === "tool" ? before : `${tool}.${before}`}=${after}`;
}

/** A renamed tool of a server. */
export interface ServerToolRename {
  readonly server: string;
  readonly before: string;
  readonly after: string;
  readonly confidence: number;
}

/** Returns the renames of tools that names of {@link nameOfRename} may mean: a tool's name may have a dot. */
export function toolRenamesNamed(names: readonly string[]): readonly ServerToolRename[] {
  return names.flatMap((name): readonly ServerToolRename[] => {
    const [, server, before, after] = /^([^/]+)\/([^=]+)=(.+)$/s.exec(name) ?? [];
    return server === undefined || before === undefined || after === undefined
      ? []
      : [{ server, before, after, confidence: 1 }];
  });
}

/** Returns the renames among changes: certain where the server declared them, else guesses with their confidence. */
export function renamesIn(changes: readonly Change[]): readonly Rename[] {
  return changes.flatMap((change): readonly Rename[] => {
    const { rule, server, tool, before, after, confidence } = change;
    const kind =
      rule === "tool-renamed" ? "tool" : rule.endsWith("-property-renamed") ? "property" : undefined;
    if (kind === undefined || tool === undefined) return [];
    if (typeof before !== "string" || typeof after !== "string") return [];
    const sure = confidence === undefined ? ({ because: "declared" } as const) : { confidence };
    return [{ server, tool, kind, before, after, ...sure, change }];
  });
}

/** Yields the renames of properties that a person could name: each removed property with each added one of its object. */
export function* possibleRenames(changes: readonly Change[]): Generator<Rename> {
  const added = groupBy(
    changes.filter(({ rule }) => /-property-added(?:-to-closed)?$/.test(rule)),
    siteOf,
  );
  for (const removal of changes.filter(({ rule }) => rule.endsWith("-property-removed")))
    for (const addition of added.get(siteOf(removal)) ?? []) {
      const [before, after] = [removal, addition].map(({ path }) => splitPointer(path).at(-1));
      if (before === undefined || after === undefined || removal.tool === undefined) continue;
      const rule = removal.rule.replace("-removed", "-renamed");
      const change = { ...addition, rule, before, after };
      yield { server: removal.server, tool: removal.tool, kind: "property", before, after, change };
    }
}

/** The object that has a property, or had it. */
function siteOf({ server, tool = "", path }: Change): string {
  return JSON.stringify([server, tool, path.slice(0, path.lastIndexOf("/"))]);
}

interface FoundRule {
  readonly rule: string;
  readonly tool?: string | undefined;
  readonly after?: JsonValue | undefined;
}

/** The tools that replaced a tool: its new name, or the parts that it was split into; none for another change. */
export function successorsOf({ rule, after }: FoundRule): readonly string[] {
  if (rule !== "tool-renamed") return [];
  const names: readonly JsonValue[] = Array.isArray(after) ? after : [after ?? null];
  return names.flatMap((name) => (typeof name === "string" ? [name] : []));
}

/**
 * Adds the other names of renamed, merged and split tools. If one name were held back and the other were not, the tool would
 * leave the lock, and come back as a new one that nothing is compared with.
 */
export function withOtherNames(chosen: readonly string[], changes: readonly Change[]): ReadonlySet<string> {
  const groups = changes.flatMap((change) => {
    const successors = successorsOf(change);
    return successors.length === 0 ? [] : [[change.tool ?? "", ...successors]];
  });
  const all = new Set(chosen);
  for (let size = -1; size !== all.size;) {
    size = all.size;
    for (const group of groups)
      if (group.some((name) => all.has(name))) for (const name of group) all.add(name);
  }
  return all;
}

/** The name that the tool of a change has now. */
export function currentTool(change: FoundRule): string | undefined {
  const [name, ...others] = successorsOf(change);
  return name === undefined || others.length > 0 ? change.tool : name;
}

/** What became of a renamed tool or property, to follow its name: a guess says "perhaps". `print` makes a name safe to show. */
export function describeRenamed(change: Change, print: (name: string) => string): string {
  const { after, confidence } = change;
  const perhaps = confidence === undefined ? "" : "perhaps ";
  if (typeof after === "string") return `${perhaps}renamed to \`${print(after)}\``;
  const names = successorsOf(change).map((name) => `\`${print(name)}\``);
  return names.length === 0 ? `${perhaps}renamed` : `${perhaps}split into ${names.join(", ")}`;
}
