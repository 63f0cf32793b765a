import type { HostId } from "../core/hosts/host.js";
import type { SnapshotHooks } from "../sources/snapshot-servers.js";

/** Which servers to read, and how. */
export interface ReadServersOptions extends SnapshotHooks {
  /** Names of configured servers; all by default. Others throw `SERVER_UNKNOWN`. */
  readonly servers?: readonly string[] | undefined;
  /** An environment to ask instead of the servers' own settings; `all` asks every environment and those settings. */
  readonly environment?: string | undefined;
  /** Read the PHP of servers instead of asking them: `only` PHP, or ask servers without PHP. */
  readonly php?: "only" | "where-configured" | undefined;
}

export interface FolderOptions {
  /**
   * The proof that a generated file is up to date. `headers`, the default: the digests in its header. `bytes`: an earlier run
   * rendered the same bytes from the same inputs. `nothing`: every file is rendered.
   */
  readonly trusts?: "headers" | "bytes" | "nothing" | undefined;
  /** Called from time to time with the number of rendered files and the total. */
  readonly onRender?: ((done: number, total: number) => void) | undefined;
}

/**
 * Returns the configuration of a project whose call sites can be found, or the reason why those of one cannot. Without a
 * path, only saved scripts are searched.
 */
export type FindTsconfig = () => Promise<
  { readonly path: string | undefined; readonly problem?: string | undefined } | undefined
>;

export interface CheckOptions extends ReadServersOptions, FolderOptions {
  /** Compare the lock with files only; no server is contacted. */
  readonly offline?: boolean | undefined;
  /** Diagnose every tool, as rendering every file does; otherwise only tools whose files are not up to date. */
  readonly diagnosesAll?: boolean | undefined;
  /**
   * A git ref: the lock, or with `php` the abilities in PHP, is compared with the lock at that ref. No server is
   * asked.
   */
  readonly against?: string | undefined;
  /** The options that say what is compared, as a waiver for this check has them: `--against v1.2.0`. None by default. */
  readonly check?: string | undefined;
  /**
   * Find the code that the changes affect, in the project of this TypeScript configuration. A function is called only
   * if a change may affect code; unreadable code is then a problem in the report, not an error.
   */
  readonly tsconfig?: string | FindTsconfig | undefined;
  /** Find what these hosts refuse or change. Default: `hosts` of the configuration. */
  readonly hosts?: readonly HostId[] | undefined;
}
