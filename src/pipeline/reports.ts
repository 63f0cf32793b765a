import type { Change, ImpactSummary } from "../core/change.js";
import type { Findings, StaleFile } from "../core/findings.js";
import type { HostId } from "../core/hosts/host.js";
import type { Diagnostic, Unverified } from "../core/diagnostic.js";
import type { EntryList } from "../core/entries.js";
import type { McpCodegenError } from "../core/errors.js";
import type { PhpNotes } from "../core/php-notes.js";
import type { ToolSnapshot } from "../core/snapshot.js";
import type { SnapshotContext } from "../sources/snapshot-servers.js";

/** A prompt, resource, template of resources or skill that is held back. */
export interface HeldEntry {
  readonly list: EntryList;
  /** Its name, URI or URI template. */
  readonly id: string;
}

/** Numbers of prompts, resources, templates of resources and skills. */
type EntryCounts = { readonly [List in EntryList]?: number };

/** The plan of `pull` for one server's block of the lock. */
export interface ServerPlan {
  readonly server: string;
  /**
   * `new`: not locked yet. `changed`: the block will be rewritten. `unchanged`: the block stays byte for byte.
   * `removed`: locked, but no longer configured. `leftover`: the same, or it lists no tools any more, but its block and
   * files stay for now; `leftover` has the reason. `failed`: could not be listed; block and files stay. `held`: the findings in
   * `unaccepted` were not accepted; block and files stay.
   */
  readonly status: "new" | "changed" | "unchanged" | "removed" | "leftover" | "failed" | "held";
  /** Contract version in the lock; absent for a new server. */
  readonly before?: string | undefined;
  /** Contract version to write; absent when the block is removed or the server could not be listed. */
  readonly after?: string | undefined;
  readonly changes: readonly Change[];
  /** The security findings that were not accepted; present when the server or some of its tools are held back. */
  readonly unaccepted?: readonly Change[] | undefined;
  /**
   * The tools held back for `unaccepted`: each keeps its locked form, or stays unlocked. Absent when no tool or the
   * whole server is held back.
   */
  readonly heldTools?: readonly string[] | undefined;
  /** As `heldTools`, for prompts, resources and skills. */
  readonly heldEntries?: readonly HeldEntry[] | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** The number of listed tools. */
  readonly tools: number;
  /** The number of listed entries by list; absent where the configuration includes only tools. */
  readonly entries?: EntryCounts | undefined;
  /** Present when the server marks its list as one of the account, and the lock does not record that yet. */
  readonly isPrivate?: boolean | undefined;
  /** Present when the lock has tools of a configured server that lists none any more. */
  readonly isEmptied?: boolean | undefined;
  /** The number of generated files removed with a server that is no longer configured, or that lists no tools any more. */
  readonly files?: number | undefined;
  /**
   * The probable new key of a server that is no longer configured: a new server with the same tools, or with the same
   * name and at least half of the tools.
   */
  readonly renamedTo?: string | undefined;
  /** `unconfirmed`: its removal was not confirmed. `unreplaced`: a new server that may replace it was not locked. */
  readonly leftover?: "unconfirmed" | "unreplaced" | undefined;
  /** Present when `failed`. */
  readonly error?: McpCodegenError | undefined;
}

/**
 * How a server's current tool differs from the lock. `unlocked`: not in the lock. `different`: its definition has
 * changed. `gone`: locked, but no longer listed.
 */
export type ToolState = "unlocked" | "different" | "gone";

export interface PullReport {
  readonly servers: readonly ServerPlan[];
  /** False for `--dry-run` and `--frozen`. */
  readonly wrote: boolean;
  /** The written files; absent when nothing was written. */
  readonly files?: GenerateReport | undefined;
  /** Files that would be written to the output folder; empty when they were written. */
  readonly stale: readonly StaleFile[];
  /** Generated files that were edited by hand; when `wrote`, they were overwritten on request. */
  readonly edited: readonly string[];
  /** Diagnostics of files that were not written; `files` has those of written files. */
  readonly diagnostics: readonly Diagnostic[];
  readonly unverified: readonly Unverified[];
  /** PHP that was read instead of asking a server; absent otherwise. */
  readonly php?: readonly PhpNotes[] | undefined;
}

export interface GenerateReport {
  /** Posix paths relative to the output folder, as are `removed`. */
  readonly written: readonly string[];
  /** Relative to the output folder. */
  readonly removed: readonly string[];
  readonly unchanged: number;
  readonly diagnostics: readonly Diagnostic[];
  /** The contracts that were raised in the lock after a merge; absent without any. */
  readonly raised?: readonly RaisedContract[] | undefined;
}

/** A server whose lock has other tools than a commit with the same contract version. */
export interface RaisedContract {
  readonly server: string;
  readonly before: string;
  readonly after: string;
}

export interface ComparedServers {
  readonly servers: readonly string[];
  /** The environments that were listed, with `environments`; one without a name is the server's own settings. */
  readonly environments?:
    | readonly { readonly server: string; readonly environment?: string | undefined }[]
    | undefined;
}

export interface CheckReport extends Findings {
  /** Findings in the lock that a waiver covers. They are not changes. */
  readonly accepted: readonly Change[];
  readonly checked: ComparedServers & {
    /** The number of compared generated files. */
    readonly files: number;
    /** The number of recorded calls that were compared with the lock; absent without cassettes. */
    readonly calls?: number | undefined;
    /** The number of type-checked scripts; absent without any. */
    readonly scripts?: number | undefined;
  };
  /** The git ref whose lock was compared with the current one; absent when servers were asked. */
  readonly against?: string | undefined;
  /** How the changes affect the user's code; absent unless requested. */
  readonly impact?: ImpactSummary | undefined;
}

/** Returns the definitions of a change's tool; undefined on the side that does not have it. */
export type DefinitionsOf = (
  change: Change,
) => readonly [before: ToolSnapshot | undefined, after: ToolSnapshot | undefined];

/** The differences between two contracts. */
export interface DiffReport {
  /** The operands, as named by the user. */
  readonly before: string;
  /** The second operand. */
  readonly after: string;
  readonly changes: readonly Change[];
  /** Tools that are left out; absent without any. */
  readonly diagnostics?: readonly Diagnostic[] | undefined;
  readonly compared: { readonly servers: readonly string[]; readonly tools: number };
}

/** The history of a server's contract. */
export interface LogReport {
  readonly server: string;
  /** Newest first. */
  readonly versions: readonly ContractVersion[];
  /** Whether the last version is the first one ever; false in a shallow clone, or with a limit. */
  readonly isComplete: boolean;
  /** Commits whose lock does not parse, newest first. */
  readonly unreadable: readonly string[];
}

export interface ContractVersion {
  /** Null where the server was removed from the lock. */
  readonly contract: string | null;
  /** The number of tools. */
  readonly tools: number;
  readonly commit: string;
  /** The date of the commit, ISO 8601. */
  readonly date: string;
  /** The first line of the commit's message. */
  readonly subject: string;
  /** Changes since the previous version; empty for the first one. */
  readonly changes: readonly Change[];
}

/** Which servers to read, and how. */
export interface ReadServersOptions extends SnapshotContext {
  /** Names of configured servers; all by default. Others throw `SERVER_UNKNOWN`. */
  readonly servers?: readonly string[] | undefined;
  /** An environment to ask instead of the servers' own settings; `all` asks every environment and those settings. */
  readonly environment?: string | undefined;
  /** Read the PHP of servers instead of asking them: `only` PHP, or ask servers without PHP. */
  readonly php?: "only" | "where-configured" | undefined;
}

export interface FolderOptions {
  /** Render every file, not only those whose inputs have changed. */
  readonly full?: boolean | undefined;
  /** The most worker threads; none by default. */
  readonly workers?: number | undefined;
  /** Remembers which files were up to date, so that unchanged ones are not read again; by default, every file is read. */
  readonly cache?: CacheOptions | undefined;
  /** Called from time to time with the number of rendered files and the total. */
  readonly onRender?: ((done: number, total: number) => void) | undefined;
}

export interface CacheOptions {
  /** The version of this program. Another version reads no cache. */
  readonly version: string;
  /** An absolute path; by default, a folder in the nearest `node_modules/.cache`. */
  readonly folder: string | undefined;
}

export interface WaiverOptions {
  /** The current date, as `2026-12-31`; without it, waivers with an expiry date have no effect. */
  readonly today?: string | undefined;
}

/**
 * Returns the configuration of a project whose call sites can be found, or the reason why those of one cannot. Without a
 * path, only saved scripts are searched.
 */
export type FindTsconfig = () => Promise<
  { readonly path: string | undefined; readonly problem?: string | undefined } | undefined
>;

export interface CheckOptions extends ReadServersOptions, FolderOptions, WaiverOptions {
  /** Compare the lock with files only; no server is contacted. */
  readonly offline?: boolean | undefined;
  /** Diagnose every tool, as `full` does; otherwise only tools whose files are not up to date. */
  readonly diagnosesAll?: boolean | undefined;
  /**
   * A git ref: the lock, or with `php` the abilities in PHP, is compared with the lock at that ref. No server is
   * asked.
   */
  readonly against?: string | undefined;
  /**
   * Find the code that the changes affect, in the project of this TypeScript configuration. A function is called only
   * if a change may affect code; unreadable code is then a problem in the report, not an error.
   */
  readonly tsconfig?: string | FindTsconfig | undefined;
  /** Find what these hosts refuse or change. Default: `hosts` of the configuration. */
  readonly hosts?: readonly HostId[] | undefined;
  /** Called with a function that finds the definitions of the changes, if anything was compared. */
  readonly onCompared?: ((definitionsOf: DefinitionsOf) => void) | undefined;
}
