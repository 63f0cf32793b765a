import pLimit from "p-limit";
import { McpCodegenError } from "../contract/errors.js";
import { MissingVariablesError } from "../contract/missing-variables.js";
import type { ServerSnapshot } from "../contract/snapshot.js";
import type { ServerConfig } from "../config/config.js";
import { openSource, type Confirm, type SourceOptions } from "./open-source.js";
import { findWordPressAccount } from "./wordpress/find-account.js";

export interface SnapshotServersOptions extends Omit<SourceOptions, "environment"> {
  /** How many servers are asked at the same time; 8 by default. */
  readonly concurrency?: number;
  readonly onProgress?: (event: Progress) => void;
  readonly confirm?: Confirm;
}

/** A server to ask: its settings, in one of its environments when that is named. */
export type Target = readonly [name: string, server: ServerConfig, environment?: string];

/** What one server said, or why it could not be listed. */
export type Outcome = SnapshotRequest &
  ({ readonly snapshot: ServerSnapshot } | { readonly error: McpCodegenError });

export interface SnapshotRequest {
  readonly server: string;
  readonly environment?: string;
}

/**
 * Asks every server, side by side, and those of one WordPress account one after another; each succeeds or fails alone, one whose variables are missing too.
 *
 * @throws McpCodegenError with exit code 2 when no server could be asked or read because of what the user gave. Missing
 * variables of all servers are one error.
 */
export async function snapshotServers(
  targets: readonly Target[],
  { concurrency = 8, onProgress, confirm, ...options }: SnapshotServersOptions,
): Promise<readonly Outcome[]> {
  const limit = pLimit(concurrency);
  const queues = new Map<string, Promise<unknown>>();
  const outcomes = targets.map(([server, config, environment]) => {
    const ask = async (): Promise<Outcome> => {
      const asked: SnapshotRequest = { server, ...(environment !== undefined && { environment }) };
      const say = (event: Omit<Progress, "server">): void =>
        onProgress?.({ server: labelOf(asked), ...event });
      try {
        const take = await openSource(server, config, { ...options, ...asked });
        say({ stage: "connecting" });
        const snapshot = await take({
          onPage: (page, tools) => {
            say({ stage: "listing", page, tools });
          },
          ...(confirm !== undefined && { confirm }),
        });
        say({ stage: "done", tools: snapshot.tools.length });
        return { ...asked, snapshot };
      } catch (error) {
        if (!(error instanceof McpCodegenError)) throw error;
        say({ stage: "failed", message: error.message });
        return { ...asked, error };
      }
    };
    const account = findWordPressAccount(server, config, { ...options, environment });
    const outcome = (queues.get(account ?? "") ?? Promise.resolve()).then(() => limit(ask));
    // The adapter loses sessions of an account that are opened at the same time.
    if (account !== undefined)
      queues.set(
        account,
        outcome.catch(() => undefined),
      );
    return outcome;
  });
  const settled = await Promise.all(outcomes);
  refuseFaults(
    settled.flatMap((outcome) => ("error" in outcome ? [outcome.error] : [])),
    settled.length,
  );
  return settled;
}

/** Where nothing but the user's input failed, there is no outcome to report. */
function refuseFaults(errors: readonly McpCodegenError[], count: number): void {
  const [first] = errors;
  if (first === undefined || errors.length < count || errors.some(({ exitCode }) => exitCode !== 2)) return;
  const missing = errors.flatMap((error) => (error instanceof MissingVariablesError ? error.variables : []));
  throw missing.length > 0 ? new MissingVariablesError(missing) : first;
}

function labelOf({ server, environment }: SnapshotRequest): string {
  return environment === undefined ? server : `${server} (${environment})`;
}

/** One step of a server's way through `pull` or `check`. */
export interface Progress {
  readonly server: string;
  readonly stage: "connecting" | "listing" | "done" | "failed";
  readonly page?: number;
  readonly tools?: number;
  readonly message?: string;
}
