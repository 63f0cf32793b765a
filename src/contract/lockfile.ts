import type { Listing, ServerIdentity, ToolSnapshot } from "./snapshot.js";

/** The version this program writes. Older ones are migrated on read, newer ones refused. */
export const LOCKFILE_VERSION = 1;
export const LOCKFILE_NAME = "mcp-codegen.lock.json";

/** What the team accepted. Plain JSON; see `docs/schemas/lockfile.schema.json`. */
export interface Lockfile {
  readonly lockfileVersion: typeof LOCKFILE_VERSION;
  readonly servers: { readonly [name: string]: LockedServer };
}

export interface LockedServer {
  /** Semantic version of the contract: `pull` bumps it by what the difference means to a caller. */
  readonly contract: string;
  readonly identity: ServerIdentity;
  readonly listing: Listing;
  /** By name. */
  readonly tools: { readonly [name: string]: LockedTool };
}

export interface LockedTool {
  /** SHA-256 of the key-sorted definition, as {@link digestOf} gives it. */
  readonly digest: string;
  readonly category?: string;
  /** Why the tool gets no code. Derived from the definition and the list it came in, and kept because the list is gone. */
  readonly unusable?: string;
  /** As the server sent it, keys in the server's order. */
  readonly definition: ToolSnapshot;
}
