import pLimit from "p-limit";
import { McpCodegenError } from "../contract/errors.js";
import type { Progress } from "../contract/reports.js";
import type { ServerSnapshot } from "../contract/snapshot.js";
import type { ServerConfig } from "../config/config.js";
import { openSource, type SourceOptions } from "./open-source.js";

export interface SnapshotServersOptions extends SourceOptions {
  /** How many servers are asked at the same time; 8 by default. */
  readonly concurrency?: number;
  readonly onProgress?: (event: Progress) => void;
}

/** What one server said, or why it could not be listed. */
export type Outcome =
  | { readonly server: string; readonly snapshot: ServerSnapshot }
  | { readonly server: string; readonly error: McpCodegenError };

/**
 * Asks every server, side by side; each succeeds or fails alone. Only what is the user's to mend throws, since it says
 * nothing about the server: a missing variable before anybody is asked, a saved list that does not parse.
 */
export async function snapshotServers(
  servers: readonly (readonly [name: string, server: ServerConfig])[],
  { concurrency = 8, onProgress, ...options }: SnapshotServersOptions,
): Promise<readonly Outcome[]> {
  const limit = pLimit(concurrency);
  const sources = await Promise.all(
    servers.map(async ([server, config]) => ({ server, take: await openSource(server, config, options) })),
  );
  const outcomes = sources.map(({ server, take }) =>
    limit(async (): Promise<Outcome> => {
      onProgress?.({ server, stage: "connecting" });
      try {
        const taken = await take((page, tools) => onProgress?.({ server, stage: "listing", page, tools }));
        onProgress?.({ server, stage: "done", tools: taken.tools.length });
        return { server, snapshot: taken };
      } catch (error) {
        if (!(error instanceof McpCodegenError)) throw error;
        onProgress?.({ server, stage: "failed", message: error.message });
        return { server, error };
      }
    }),
  );
  const settled = await Promise.all(outcomes);
  const fault = settled.find((outcome) => "error" in outcome && outcome.error.exitCode === 2);
  if (fault !== undefined && "error" in fault) throw fault.error;
  return settled;
}
