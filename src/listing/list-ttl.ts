import type { ListPage } from "./validate-tools.js";

/** The least and the most milliseconds that a server may state. */
const LIMITS = [1_000, 86_400_000] as const;

/** Returns the milliseconds for which the server calls its list fresh: those of the page that is stale first. */
export function ttlOfPages(pages: readonly ListPage[]): number | undefined {
  const times = pages.flatMap(({ ttlMs }) => ttlMs ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

/**
 * Returns a stated time within limits; undefined for 0, which servers without an opinion send. Listing for every use
 * would follow from it.
 */
export function limitTtl(ttlMs: number | undefined): number | undefined {
  if (ttlMs === undefined || ttlMs === 0) return undefined;
  const [least, most] = LIMITS;
  return Math.min(Math.max(ttlMs, least), most);
}
