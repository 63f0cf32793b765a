import { type ConnectionSettings, type PreludeCall, preludeOf } from "./connection.js";
import { digestOf } from "./digest.js";
import { omitUndefined } from "./collections.js";
import { getOwn, mapEntries } from "./json.js";
import type { Listing } from "./snapshot.js";

/** The settings of a server that hold calls before the list. */
interface Preludes {
  readonly prelude?: ConnectionSettings["prelude"] | undefined;
  readonly variants?: ConnectionSettings["variants"] | undefined;
}

/** The parts of a locked server that hold the digests of confirmed calls. */
interface LockedListings {
  readonly listing: Listing;
  readonly variants?: { readonly [variant: string]: Listing } | undefined;
}

/** Identifies calls, with their variables unresolved: other calls have to be confirmed again. */
export function digestOfPrelude(calls: readonly PreludeCall[]): string {
  return digestOf(calls.map(({ tool, arguments: given = {} }) => ({ tool, arguments: given })));
}

/** Returns the digest of the calls that were confirmed for a server, or for its variant. */
export function confirmedPrelude(
  locked: LockedListings | undefined,
  variant: string | undefined,
): string | undefined {
  return (variant === undefined ? locked?.listing : getOwn(locked?.variants ?? {}, variant))?.prelude;
}

/** Returns those of a server's settings that hold calls before the list, with the calls that the lock confirms alone. */
export function confirmedCalls(settings: Preludes, locked: LockedListings | undefined): Preludes {
  const confirmed = (variant: string | undefined): readonly PreludeCall[] | undefined => {
    const calls = preludeOf(settings, variant);
    return calls !== undefined && confirmedPrelude(locked, variant) === digestOfPrelude(calls)
      ? calls
      : undefined;
  };
  return {
    prelude: confirmed(undefined),
    variants:
      settings.variants &&
      mapEntries(settings.variants, (each, name) => omitUndefined({ ...each, prelude: confirmed(name) })),
  };
}
