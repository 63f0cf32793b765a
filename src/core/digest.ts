import { hash } from "node:crypto";
import type { LockedAbility } from "./ability.js";
import { omitUndefined } from "./collections.js";
import { preludeOf } from "./connection.js";
import type { ConnectionSettings, PreludeCall } from "./connection-settings.js";
import { canonicalJson, getOwn, type JsonValue, mapEntries } from "./json.js";
import type { LockedTool } from "./lockfile.js";
import type { Listing, ToolSnapshot } from "./snapshot.js";

/** Returns `sha256-` and the hexadecimal SHA-256 of the canonical JSON of a value. */
export function digestOf(value: JsonValue): string {
  return `sha256-${sha256(canonicalJson(value))}`;
}

/** Returns the hexadecimal SHA-256 of bytes, or of the UTF-8 bytes of a text. */
export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data);
}

interface DigestedParts {
  readonly definition: ToolSnapshot;
  readonly ability?: LockedAbility | undefined;
  readonly repeated?: LockedTool["repeated"] | undefined;
  readonly differs?: LockedTool["differs"] | undefined;
}

/** Returns the digest of a locked tool. Excludes derived values and the PHP file of the ability. */
export function digestOfTool({ definition, ability, repeated, differs }: DigestedParts): string {
  if (ability === undefined && repeated === undefined && differs === undefined) return digestOf(definition);
  return digestOf(omitUndefined({ ability: ability?.definition, definition, repeated, differs }));
}

interface LockedListings {
  readonly listing: Listing;
  readonly variants?: { readonly [variant: string]: Listing } | undefined;
}

/** Identifies calls, with their variables unresolved: other calls have to be confirmed again. */
export function digestOfPrelude(calls: readonly PreludeCall[]): string {
  return digestOf(calls.map(({ tool, arguments: input = {} }) => ({ tool, arguments: input })));
}

/** Returns the digest of the calls that were confirmed for a server, or for its variant. */
export function confirmedPrelude(
  locked: LockedListings | undefined,
  variant: string | undefined,
): string | undefined {
  return (variant === undefined ? locked?.listing : getOwn(locked?.variants ?? {}, variant))?.prelude;
}

/** The settings of a server that hold calls before the list. */
interface Preludes {
  readonly prelude?: ConnectionSettings["prelude"] | undefined;
  readonly variants?: ConnectionSettings["variants"] | undefined;
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
