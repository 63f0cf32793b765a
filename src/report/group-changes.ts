import type { Change, ChangeClass } from "../contract/change.js";
import { foldChanges, type FoldedChange } from "./fold-changes.js";
import { printable } from "../contract/printable.js";

/** The findings of one tool, of several together, or, without a name, of the server itself. */
export interface ToolGroup<C extends Change> {
  readonly tools: readonly (string | undefined)[];
  readonly findings: readonly FoldedChange<C>[];
}

export interface ServerGroup<C extends Change> {
  /** The server's name, or that of one environment of it, as it came. */
  readonly place: string;
  readonly changes: readonly C[];
  readonly findings: readonly FoldedChange<C>[];
  readonly groups: readonly ToolGroup<C>[];
}

const RANK: Readonly<Record<ChangeClass, number>> = { breaking: 0, unknown: 1, dangerous: 2, safe: 3 };

/** Changes by server and environment, folded into findings, by the tools of these; the worst first at every level. */
export function groupChanges<C extends Change>(changes: readonly C[]): readonly ServerGroup<C>[] {
  return groupBy(worstFirst(changes), placeOf).map(([place, those]) => {
    const findings = foldChanges(those);
    const groups = groupBy(findings, (finding) => JSON.stringify(toolsOf(finding)));
    return {
      place,
      changes: those,
      findings,
      groups: groups.map(([, [first, ...others]]) => ({
        tools: toolsOf(first),
        findings: [first, ...others],
      })),
    };
  });
}

/** The tools that a finding is about, each once; undefined for the server itself. */
export function toolsOf({ changes }: FoldedChange<Change>): readonly (string | undefined)[] {
  return [...new Set(changes.map(({ tool }) => tool))];
}

/** Names of tools as a list that ends with how many more there are; `39 tools: a, b and 37 more` where there are several. */
export function nameTools(
  tools: readonly (string | undefined)[],
  most: number,
  printName: (name: string) => string = (name) => name,
): string {
  const names = tools.map((tool) =>
    tool === undefined ? "(the server itself)" : printName(printable(tool, 80)),
  );
  if (names.length < 2) return names.join("");
  const rest = names.length - most;
  const shown = names.slice(0, rest > 0 ? most : names.length).join(", ");
  return `${names.length} tools: ${shown}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** The server, or one environment of it. */
export function placeOf({
  server,
  environment,
}: {
  readonly server: string;
  readonly environment?: string | undefined;
}): string {
  return environment === undefined ? server : `${server} (${environment})`;
}

/** As a reader wants them: what fails, then security, then by class. What is equally bad keeps its order. */
export function worstFirst<C extends Change & { readonly fails?: boolean }>(
  changes: readonly C[],
): readonly C[] {
  return [...changes].sort((a, b) => rankOf(a) - rankOf(b));
}

function rankOf(change: Change & { readonly fails?: boolean }): number {
  return (change.fails === false ? 8 : 0) + (change.security ? 0 : 4) + RANK[change.class];
}

/** Groups appear in the order of their first item. */
function groupBy<T, K>(
  items: readonly T[],
  keyOf: (item: T) => K,
): readonly (readonly [K, readonly [T, ...T[]]])[] {
  const groups = new Map<K, [T, ...T[]]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return [...groups];
}

/** `3 changes`, and in how many places where several have one cause. */
export function countFindings(findings: readonly FoldedChange<Change>[]): string {
  const places = findings.reduce((sum, { changes }) => sum + changes.length, 0);
  const found = `${findings.length} change${findings.length === 1 ? "" : "s"}`;
  return places === findings.length ? found : `${found} in ${places} places`;
}

/** `2 breaking, 1 dangerous`, the worst first; security findings are counted apart. */
export function countClasses(findings: readonly FoldedChange<Change>[]): string {
  const firsts = findings.map(({ changes: [first] }) => first);
  const counts = (["breaking", "dangerous", "unknown", "safe"] as const).flatMap((name) => {
    const amount = firsts.filter((change) => change.class === name).length;
    return amount === 0 ? [] : [`${amount} ${name}`];
  });
  const security = firsts.filter((change) => change.security).length;
  return [...counts, ...(security === 0 ? [] : [`${security} security`])].join(", ");
}
