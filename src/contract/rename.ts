import type { Change } from "./change.js";

/** A renamed tool, or a renamed property of its arguments or results. */
export interface Rename {
  readonly server: string;
  /** The tool's old name. */
  readonly tool: string;
  readonly kind: "tool" | "property";
  readonly before: string;
  readonly after: string;
  /** Why it is applied: the server declared it, or a person confirmed it; absent for a guess, which is not applied. */
  readonly because?: "declared" | "confirmed";
  /** How sure the guess is, from 0 to 1. */
  readonly confidence?: number;
  readonly change: Change;
}

/** How a person names a rename on the command line: `shop/get_order=fetch_order`, `shop/find_orders.limit=per_page`. */
export function nameOfRename({ server, tool, kind, before, after }: Rename): string {
  return kind === "tool" ? `${server}/${before}=${after}` : `${server}/${tool}.${before}=${after}`;
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
