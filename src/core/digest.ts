import { hash } from "node:crypto";
import { omitUndefined } from "./collections.js";
import { canonicalJson, type JsonValue } from "./json.js";
import type { LockedAbility } from "./ability.js";
import type { LockedTool } from "./lockfile.js";
import type { ToolSnapshot } from "./snapshot.js";

/** Returns `sha256-` and the hexadecimal SHA-256 of the canonical JSON of a value. */
export function digestOf(value: JsonValue): string {
  return `sha256-${sha256(canonicalJson(value))}`;
}

/** Returns the hexadecimal SHA-256 of bytes, or of the UTF-8 bytes of a text. */
export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data);
}

/** The parts of a locked tool that its digest covers. */
interface DigestedParts {
  readonly definition: ToolSnapshot;
  readonly ability?: LockedAbility | undefined;
  readonly repeated?: LockedTool["repeated"] | undefined;
  readonly differs?: LockedTool["differs"] | undefined;
}

/**
 * Returns the digest of a locked tool: of its definition, and of its ability, repeated and differing definitions
 * if it has them. Excludes derived values and the PHP file of the ability.
 */
export function digestOfTool({ definition, ability, repeated, differs }: DigestedParts): string {
  if (ability === undefined && repeated === undefined && differs === undefined) return digestOf(definition);
  return digestOf(omitUndefined({ ability: ability?.definition, definition, repeated, differs }));
}
