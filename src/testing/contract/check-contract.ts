import { existsSync } from "node:fs";
import process from "node:process";
import type { SdkServer, SdkTransport } from "../../client/sdk-transport.js";
import type { ServerConfig } from "../../config/config.js";
import { checkOptions, FLAG, TEXT, TEXTS } from "../../core/check-options.js";
import type { Change } from "../../core/change.js";
import { McpCodegenError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import type { HostId } from "../../core/hosts/host.js";
import { LOCKFILE_NAME } from "../../core/lockfile.js";

/**
 * A server to compare with its lock: an `McpServer` or a `Server` of the MCP SDK, version 1 or 2, that is not connected; a
 * function that returns one; the client's end of a pair of transports; the command or the URL of a server, as one text or
 * as in a configuration.
 */
export type ContractServer =
  | SdkServer
  | (() => SdkServer | Promise<SdkServer>)
  | SdkTransport
  | string
  | Pick<ServerConfig, "command" | "args" | "env" | "cwd" | "url">;

export type ContractCaller = "checkContract" | "assertContract" | "toMatchContract";

interface MatcherOptions {
  /** The path of the lockfile, which is called `mcp-codegen.lock.json`. Default: the one in the working directory. */
  readonly lock?: string | undefined;
  /** The name of the server in the lock. Default: the only one of the lock, or `server` for a new lock. */
  readonly name?: string | undefined;
  /** Hosts and providers, such as `anthropic`: tools that they refuse fail. Default: `hosts` of the configuration. */
  readonly hosts?: readonly HostId[] | undefined;
}

export interface ContractOptions extends MatcherOptions {
  /** Write the current contract to the lock, except tools with a security finding. */
  readonly update?: boolean | undefined;
}

const CONTRACT_OPTIONS = { lock: TEXT, name: TEXT, update: FLAG, hosts: TEXTS };

export interface ContractResult {
  /** Whether the server says what the lock says, or differs only in what the configuration allows. */
  readonly matches: boolean;
  /** The differences, as `check --json` reports them. */
  readonly findings: readonly Change[];
  /** Tools that the hosts refuse or change; empty without hosts. */
  readonly hosts: readonly Finding[];
  /** The report as `check` prints it, without colours. */
  readonly text: string;
  /** Whether the lock was written. */
  readonly updated: boolean;
}

/**
 * Compares a server with its lock, as `mcp-codegen check` does. A server in this process is connected in memory. A
 * configuration beside the lock applies if it has the server.
 *
 * @throws McpCodegenError `LOCK_NOT_FOUND` without a lock, unless it is updated; `SERVER_UNKNOWN` for a name that the lock
 *   does not have; `USAGE` for an unknown option or a lock of another name; the errors of the configuration and of the lock. A
 *   server that cannot be listed is in the result, or the error of an update.
 */
export async function checkContract(
  server: ContractServer,
  options: ContractOptions = {},
): Promise<ContractResult> {
  return compare("checkContract", server, options);
}

async function compare(
  caller: ContractCaller,
  server: ContractServer,
  options: ContractOptions,
  update = false,
): Promise<ContractResult> {
  checkOptions(caller, options, CONTRACT_OPTIONS);
  // Tests that only mock servers load none of this.
  const { compareContract } = await import("./compare-contract.js");
  try {
    return await compareContract(server, { ...options, update: options.update ?? update }, caller);
  } catch (error) {
    if (!(error instanceof McpCodegenError) || error.hint === undefined) throw error;
    // Test runners print the message of an error alone.
    throw new McpCodegenError(error.code, `${error.message} ${error.hint}`, { cause: error });
  }
}

/** The types of the matchers, for the runner: `interface Matchers<T> extends ContractMatchers<T> {}`. */
export interface ContractMatchers<R = unknown> {
  /**
   * Passes if the server says what its lock says, see `checkContract`. With `-u`, the lock is written first; a lock that
   * does not exist is written unless the tests run in CI.
   */
  toMatchContract(options?: MatcherOptions): Promise<R>;
}

/** Returns whether the runner updates snapshots: `all` with `-u`, `new` without CI, `none` in CI. Both name it the same. */
function updateModeOf(matcher: object): unknown {
  const snapshotState: unknown = "snapshotState" in matcher ? matcher.snapshotState : undefined;
  return typeof snapshotState === "object" && snapshotState !== null && "_updateSnapshot" in snapshotState
    ? snapshotState._updateSnapshot
    : undefined;
}

/** Matchers for Vitest and Jest: `expect.extend(contractMatchers)`. */
export const contractMatchers = {
  async toMatchContract(
    // Its type differs between the runners.
    this: object,
    server: ContractServer,
    options: MatcherOptions = {},
  ): Promise<{ readonly pass: boolean; message(): string }> {
    const mode = updateModeOf(this);
    const isNew = mode === "new" && !existsSync(options.lock ?? LOCKFILE_NAME);
    const { matches, text } = await compare("toMatchContract", server, options, mode === "all" || isNew);
    return { pass: matches, message: () => text };
  },
};

/**
 * Throws an error with the report unless the server says what its lock says, for any test runner. With
 * `--test-update-snapshots` of Node.js 22.3, the lock is written first.
 */
export async function assertContract(server: ContractServer, options: ContractOptions = {}): Promise<void> {
  const update = process.execArgv.includes("--test-update-snapshots");
  const { matches, text } = await compare("assertContract", server, options, update);
  if (!matches) throw new Error(text);
}
