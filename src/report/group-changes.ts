import type { Change, ChangeClass } from "../contract/change.js";

/** The changes of one tool, or, without a name, of the server itself. */
export interface ToolGroup<C extends Change> {
  readonly tool: string | undefined;
  readonly changes: readonly C[];
}

export interface ServerGroup<C extends Change> {
  /** The server's name, or that of one environment of it, as it came. */
  readonly place: string;
  readonly changes: readonly C[];
  readonly tools: readonly ToolGroup<C>[];
}

const RANK: Readonly<Record<ChangeClass, number>> = { breaking: 0, unknown: 1, dangerous: 2, safe: 3 };

/** Changes by server, environment and tool, the worst first at every level; what is equally bad keeps its order. */
export function groupChanges<C extends Change>(changes: readonly C[]): readonly ServerGroup<C>[] {
  return groupBy(changes, placeOf).map(([place, those]) => ({
    place,
    changes: those,
    tools: groupBy(those, ({ tool }) => tool).map(([tool, of]) => ({ tool, changes: of })),
  }));
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

/** As a reader wants them: what fails, then security, then by class. */
export function worstFirst<C extends Change & { readonly fails?: boolean }>(
  changes: readonly C[],
): readonly C[] {
  return [...changes].sort((a, b) => rankOf(a) - rankOf(b));
}

function rankOf(change: Change & { readonly fails?: boolean }): number {
  return (change.fails === false ? 8 : 0) + (change.security ? 0 : 4) + RANK[change.class];
}

/** Groups appear in the order of their worst change. */
function groupBy<C extends Change, K>(
  changes: readonly C[],
  keyOf: (change: C) => K,
): readonly (readonly [K, readonly C[]])[] {
  const groups = new Map<K, C[]>();
  for (const change of worstFirst(changes)) {
    const group = groups.get(keyOf(change));
    if (group === undefined) groups.set(keyOf(change), [change]);
    else group.push(change);
  }
  return [...groups];
}

/** `2 breaking, 1 dangerous`, the worst first; security findings are counted apart. */
export function countClasses(changes: readonly Change[]): string {
  const counts = (["breaking", "dangerous", "unknown", "safe"] as const).flatMap((name) => {
    const amount = changes.filter((change) => change.class === name).length;
    return amount === 0 ? [] : [`${amount} ${name}`];
  });
  const security = changes.filter((change) => change.security).length;
  return [...counts, ...(security === 0 ? [] : [`${security} security`])].join(", ");
}
