import { subjectOf } from "./describe-place.js";
import { type Change, type ChangeClass, currentTool } from "../contract/change.js";
import { groupBy } from "../contract/collections.js";
import { foldChanges, type FoldedChange } from "./fold-changes.js";
import { printable } from "../contract/printable.js";

/** The findings of one tool or of several tools; without names, those of the server itself. */
export interface ToolGroup<C extends Change> {
  readonly tools: readonly (string | undefined)[];
  readonly findings: readonly FoldedChange<C>[];
}

export interface ServerGroup<C extends Change> {
  /** The name of the server or of one of its environments, unescaped. */
  readonly place: string;
  readonly changes: readonly C[];
  readonly findings: readonly FoldedChange<C>[];
  readonly groups: readonly ToolGroup<C>[];
}

const RANK: Readonly<Record<ChangeClass, number>> = { breaking: 0, unknown: 1, dangerous: 2, safe: 3 };

/**
 * Groups changes by server and environment, folds them into findings, and groups these by tools; worst first at each
 * level.
 */
export function groupChanges<C extends Change>(changes: readonly C[]): readonly ServerGroup<C>[] {
  return [...groupBy(worstFirst(changes), placeOf)].map(([place, those]) => {
    const findings = foldChanges(those);
    // The rename of a tool belongs to what else changed in it, under its new name.
    const namesOf = ({ changes: of }: FoldedChange<C>): readonly (string | undefined)[] => [
      ...new Set(of.map((change) => currentTool(change) ?? subjectOf(change))),
    ];
    const groups = groupBy(findings, (finding) => JSON.stringify(namesOf(finding)));
    return {
      place,
      changes: those,
      findings,
      groups: [...groups.values()].map(([first, ...others]) => ({
        tools: namesOf(first),
        findings: [first, ...others],
      })),
    };
  });
}

/** The distinct tools of a finding, or the entry of another list; undefined for the server itself. */
export function toolsOf({ changes }: FoldedChange<Change>): readonly (string | undefined)[] {
  return [...new Set(changes.map(subjectOf))];
}

/** Lists the names of tools, followed by how many are left out; `39 tools: a, b and 37 more` for several. */
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

/** The name of a server, with its environment if there is one. */
export function placeOf({
  server,
  environment,
}: {
  readonly server: string;
  readonly environment?: string | undefined;
}): string {
  return environment === undefined ? server : `${server} (${environment})`;
}

/** Sorts by failing, then security, then class. Equal changes keep their order. */
export function worstFirst<C extends Change & { readonly fails?: boolean }>(
  changes: readonly C[],
): readonly C[] {
  return [...changes].sort((a, b) => rankOf(a) - rankOf(b));
}

function rankOf(change: Change & { readonly fails?: boolean }): number {
  return (change.fails === false ? 8 : 0) + (change.security ? 0 : 4) + RANK[change.class];
}

/** `3 changes`, with the number of places where a finding has several. */
export function countFindings(findings: readonly FoldedChange<Change>[]): string {
  const places = findings.reduce((sum, { changes }) => sum + changes.length, 0);
  const found = `${findings.length} change${findings.length === 1 ? "" : "s"}`;
  return places === findings.length ? found : `${found} in ${places} places`;
}

/** `2 breaking, 1 dangerous`, worst first; security findings are counted separately. */
export function countClasses(findings: readonly FoldedChange<Change>[]): string {
  const firsts = findings.map(({ changes: [first] }) => first);
  const counts = (["breaking", "dangerous", "unknown", "safe"] as const).flatMap((name) => {
    const amount = firsts.filter((change) => change.class === name).length;
    return amount === 0 ? [] : [`${amount} ${name}`];
  });
  const security = firsts.filter((change) => change.security).length;
  return [...counts, ...(security === 0 ? [] : [`${security} security`])].join(", ");
}
