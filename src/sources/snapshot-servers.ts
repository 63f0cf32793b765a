import pLimit from "p-limit";
import { McpCodegenError } from "../contract/errors.js";
import type { Progress } from "../contract/reports.js";
import type { ServerSnapshot } from "../contract/snapshot.js";
import type { ServerConfig } from "../config/config.js";
import { openSource, type Confirm, type SourceOptions } from "./open-source.js";

export interface SnapshotServersOptions extends Omit<SourceOptions, "environment"> {
  /** How many servers are asked at the same time; 8 by default. */
  readonly concurrency?: number;
  readonly onProgress?: (event: Progress) => void;
  readonly confirm?: Confirm;
}

/** A server to ask: its settings, in one of its environments when that is named. */
export type Target = readonly [name: string, server: ServerConfig, environment?: string];

/** What one server said, or why it could not be listed. */
export type Outcome = Asked & ({ readonly snapshot: ServerSnapshot } | { readonly error: McpCodegenError });

export interface Asked {
  readonly server: string;
  readonly environment?: string;
}

/**
 * Asks every server, side by side; each succeeds or fails alone. Only what is the user's to mend throws, since it says
 * nothing about the server: a missing variable before anybody is asked, a saved list that does not parse.
 */
export async function snapshotServers(
  targets: readonly Target[],
  { concurrency = 8, onProgress, confirm, ...options }: SnapshotServersOptions,
): Promise<readonly Outcome[]> {
  const limit = pLimit(concurrency);
  const sources = await Promise.all(
    targets.map(async ([server, config, environment]) => {
      const asked: Asked = { server, ...(environment !== undefined && { environment }) };
      return { asked, take: await openSource(server, config, { ...options, ...asked }) };
    }),
  );
  const outcomes = sources.map(({ asked, take }) =>
    limit(async (): Promise<Outcome> => {
      const say = (event: Omit<Progress, "server">): void =>
        onProgress?.({ server: labelOf(asked), ...event });
      say({ stage: "connecting" });
      try {
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
    }),
  );
  const settled = await Promise.all(outcomes);
  const fault = settled.find((outcome) => "error" in outcome && outcome.error.exitCode === 2);
  if (fault !== undefined && "error" in fault) throw fault.error;
  return settled;
}

function labelOf({ server, environment }: Asked): string {
  return environment === undefined ? server : `${server} (${environment})`;
}
