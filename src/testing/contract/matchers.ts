import process from "node:process";
import { existsSync } from "node:fs";
import { checkOptions } from "../../core/check-options.js";
import { LOCKFILE_NAME } from "../../core/lockfile.js";
import {
  checkContract,
  CONTRACT_OPTIONS,
  type ContractOptions,
  type ContractServer,
} from "./check-contract.js";

interface MatcherResult {
  readonly pass: boolean;
  message(): string;
}

/** The types of the matchers, for the runner: `interface Matchers<T> extends ContractMatchers<T> {}`. */
export interface ContractMatchers<R = unknown> {
  /**
   * Passes if the server says what its lock says, see `checkContract`. With `-u`, the lock is written first; a lock that
   * does not exist is written unless the tests run in CI.
   */
  toMatchContract(options?: Omit<ContractOptions, "update">): Promise<R>;
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
    options: Omit<ContractOptions, "update"> = {},
  ): Promise<MatcherResult> {
    const mode = updateModeOf(this);
    const isNew = mode === "new" && !existsSync(options.lock ?? LOCKFILE_NAME);
    const { matches, text } = await checkContract(server, { ...options, update: mode === "all" || isNew });
    return { pass: matches, message: () => text };
  },
};

/**
 * Throws an error with the report unless the server says what its lock says, for any test runner. With
 * `--test-update-snapshots` of Node.js 22.3, the lock is written first.
 */
export async function assertContract(server: ContractServer, options: ContractOptions = {}): Promise<void> {
  checkOptions("assertContract", options, CONTRACT_OPTIONS);
  const update = options.update ?? process.execArgv.includes("--test-update-snapshots");
  const { matches, text } = await checkContract(server, { ...options, update });
  if (!matches) throw new Error(text);
}
