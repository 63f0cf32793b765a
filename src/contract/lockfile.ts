import type { LockedAbility, WordPressListing } from "./ability.js";
import type { Listing, ServerIdentity, ToolSnapshot } from "./snapshot.js";

/** The version this program writes. Older ones are migrated on read, newer ones refused. */
export const LOCKFILE_VERSION = 1;
export const LOCKFILE_NAME = "mcp-codegen.lock.json";

/**
 * What the team accepted. Plain JSON; see `docs/schemas/lockfile.schema.json`. Some work needs of the definitions no
 * more than an outline: see `lock-outline.ts`.
 */
export interface Lockfile<Definition = ToolSnapshot> {
  readonly lockfileVersion: typeof LOCKFILE_VERSION;
  readonly servers: { readonly [name: string]: LockedServer<Definition> };
}

export interface LockedServer<Definition = ToolSnapshot> {
  /** Semantic version of the contract: `pull` bumps it by what the difference means to a caller. */
  readonly contract: string;
  readonly identity: ServerIdentity;
  readonly listing: Listing;
  /** Present when the tools are abilities of a WordPress. */
  readonly wordpress?: WordPressListing;
  /** What the tokens of its tools are those of, such as `o200k_base`. */
  readonly tokenizer?: string;
  /** By name. */
  readonly tools: { readonly [name: string]: LockedTool<Definition> };
}

export interface LockedTool<Definition = ToolSnapshot> {
  /** Of the definition, the ability behind it and those repeated, as `digestOfTool` gives it. */
  readonly digest: string;
  /** The tokens that a model pays for the tool, see `tokenText`; absent where they were not counted. */
  readonly tokens?: number;
  readonly category?: string;
  /** Why the tool gets no code. Derived from the definition and the list it came in, and kept because the list is gone. */
  readonly unusable?: string;
  /** What the tool is to WordPress, where that is known. */
  readonly ability?: LockedAbility;
  /** As the server sent it, keys in the server's order. */
  readonly definition: Definition;
  /** Further definitions that the server lists under the same name, where it does. They get no code. */
  readonly repeated?: readonly ToolSnapshot[];
}
