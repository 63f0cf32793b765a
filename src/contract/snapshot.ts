import type { LockedAbility, WordPressListing } from "./ability.js";
import type { Diagnostic } from "./diagnostic.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "./json.js";

/**
 * A tool definition as the server sent it: unknown keys are kept, nothing is added. `name` is the one key that is
 * known to hold; everything else is the server's word and is judged where it is used.
 */
export interface ToolSnapshot extends JsonObject {
  readonly name: string;
}

/** Whether a raw list entry can be locked at all: it has a name to be locked under. */
export function isToolSnapshot(value: JsonValue): value is ToolSnapshot {
  if (!isJsonObject(value)) return false;
  const name = getOwn(value, "name");
  return typeof name === "string" && name !== "";
}

/** What a server says of itself in `initialize`. */
export interface ServerIdentity {
  readonly serverInfo: JsonObject;
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  readonly instructions?: string;
}

/** Whether nothing is known of a server: its tools were read from PHP or from a saved list. */
export function isUnknownIdentity({ serverInfo, protocolVersion, capabilities }: ServerIdentity): boolean {
  return protocolVersion === "" && Object.keys(serverInfo).length + Object.keys(capabilities).length === 0;
}

/** Under which circumstances a list was made, since servers list by them. */
export interface Listing {
  /** The client capabilities that were declared. */
  readonly clientCapabilities: JsonObject;
  /** A label of the account, never a secret: the user name of basic authentication, when that is public. */
  readonly principal?: string;
  readonly locale?: string;
  /** How many pages the list came in. */
  readonly pages: number;
}

/** What one source said, whole. */
export interface ServerSnapshot {
  readonly server: string;
  readonly identity: ServerIdentity;
  readonly listing: Listing;
  /** Present when the tools are abilities of a WordPress. */
  readonly wordpress?: WordPressListing;
  /** Sorted by name, code-unit order; no name twice. */
  readonly tools: readonly ToolSnapshot[];
  /** Further definitions under names of `tools`, in the order of the list: which of them a call reaches is not known. */
  readonly repeated?: readonly ToolSnapshot[];
  /** By tool, the ability behind it, where that is known. */
  readonly abilities?: { readonly [tool: string]: LockedAbility };
  /** Why a tool that is listed gets no code, by name. */
  readonly unusable: { readonly [tool: string]: string };
  readonly diagnostics: readonly Diagnostic[];
}

/** The server's own hints on what a tool does. */
export interface ToolAnnotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}
