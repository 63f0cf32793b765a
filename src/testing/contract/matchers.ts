import process from "node:process";
import { existsSync } from "node:fs";
import { LOCKFILE_NAME } from "../../core/lockfile.js";
import { checkContract, type ContractOptions, type ContractServer } from "./check-contract.js";

/** The part of `this` that is used, in matchers of Vitest and Jest. */
interface MatcherState {
  readonly snapshotState?: object | undefined;
}

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
function updateModeOf({ snapshotState = {} }: MatcherState): unknown {
  return "_updateSnapshot" in snapshotState ? snapshotState._updateSnapshot : undefined;
}

/** Matchers for Vitest and Jest: `expect.extend(contractMatchers)`. */
export const contractMatchers = {
  async toMatchContract(
    this: MatcherState,
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
 * `--test-update-snapshots` of Node.js, the lock is written first.
 */
export async function assertContract(server: ContractServer, options: ContractOptions = {}): Promise<void> {
  const update = options.update ?? process.execArgv.includes("--test-update-snapshots");
  const { matches, text } = await checkContract(server, { ...options, update });
  if (!matches) throw new Error(text);
}
