import type { LockedAbility, WordPressListing } from "./ability.js";
import type { JsonObject } from "./json.js";
import type { Listing, ServerIdentity, ToolSnapshot } from "./snapshot.js";

/** The version of the format. Locks of a newer version are refused. */
export const LOCKFILE_VERSION = 1;
export const LOCKFILE_NAME = "mcp-codegen.lock.json";

/** Whether a text names a lock that is a file or a URL, such as that of a caller's project, and not a git ref. */
export function isLockPath(text: string): boolean {
  return /^https?:|\.json$/i.test(text);
}

/** The servers of a lock. */
export interface LockedServers<Definition = ToolSnapshot> {
  /** By name, sorted by code unit. */
  readonly servers: { readonly [name: string]: LockedServer<Definition> };
}

/**
 * The accepted contract, as plain JSON; see `docs/schemas/lockfile.schema.json`. Some code only needs an
 * outline of the definitions, see `LockOutline`.
 */
export interface Lockfile<Definition = ToolSnapshot> extends LockedServers<Definition> {
  /** Where editors find the schema of this file. Kept as it is. */
  readonly $schema?: string;
  /** Older versions are migrated when they are read; newer ones are refused. */
  readonly lockfileVersion: typeof LOCKFILE_VERSION;
}

/** What a project without a lock is compared with. */
export const EMPTY_LOCK: Lockfile = { lockfileVersion: LOCKFILE_VERSION, servers: {} };

export interface LockedServer<Definition = ToolSnapshot> extends LockedEntries {
  /** The semantic version of the contract. `pull` raises it by the effect of a change on callers. */
  readonly contract: string;
  /** What the server reports about itself at the start of a session. */
  readonly identity: ServerIdentity;
  /** The conditions of the list that a server may depend on. */
  readonly listing: Listing;
  /** The conditions of the lists of its variants; absent without variants. */
  readonly variants?: { readonly [variant: string]: Listing };
  /** Present when the tools are abilities of a WordPress. */
  readonly wordpress?: WordPressListing;
  /** The tokenizer of the token counts, such as `o200k_base`. */
  readonly tokenizer?: string;
  /** By name. */
  readonly tools: { readonly [name: string]: LockedTool<Definition> };
}

/** The lists beside the tools that the configuration includes. */
export interface LockedEntries {
  /** Prompts by name; present if the configuration includes prompts. */
  readonly prompts?: LockedList;
  /** Resources by URI; present if the configuration includes resources. */
  readonly resources?: LockedList;
  /** Templates of resources by URI template; present if the configuration includes resources. */
  readonly resourceTemplates?: LockedList;
  /** Skills by the URI of their SKILL.md; present if the configuration includes skills. */
  readonly skills?: LockedList;
}

type LockedList = { readonly [id: string]: LockedEntry };

/** A prompt, a resource, a template of resources or a skill. */
export interface LockedEntry {
  /** The digest of the definition. */
  readonly digest: string;
  /** The entry as the server sent it, with its order of keys. */
  readonly definition: JsonObject;
}

export interface LockedTool<Definition = ToolSnapshot> {
  /** The digest of the definition, its ability and its repeated definitions, as `digestOfTool` returns it. */
  readonly digest: string;
  /** The tokens that the tool costs a model, see `tokenText`; absent if they were not counted. */
  readonly tokens?: number;
  readonly category?: string;
  /** The version that the server had when this tool was locked; absent if it is the one of its identity. */
  readonly version?: string;
  /** The views that list the tool: variants, and `default` for the server's own settings. Absent if all list it. */
  readonly views?: readonly string[];
  /** Why the tool gets no code. It depends on the list, which is not locked. */
  readonly unusable?: string;
  /** The ability of the tool, if known. */
  readonly ability?: LockedAbility;
  /** The definition as the server sent it, with its order of keys. */
  readonly definition: Definition;
  /** Later definitions that the server lists with the same name. They get no code. */
  readonly repeated?: readonly ToolSnapshot[];
  /** Definitions of variants that differ from `definition`. They get no code. */
  readonly differs?: { readonly [variant: string]: ToolSnapshot };
}
