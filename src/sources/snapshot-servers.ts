import pLimit from "p-limit";
import type { VariableLookup } from "../contract/connection.js";
import { McpCodegenError } from "../contract/errors.js";
import type { Progress } from "../contract/reports.js";
import type { ServerSnapshot } from "../contract/snapshot.js";
import type { ServerConfig } from "../config/config.js";
import { snapshot } from "./snapshot.js";

export interface SnapshotServersOptions {
  /** The folder that the configuration's paths are relative to. */
  readonly dir: string;
  readonly lookup: VariableLookup;
  /** How many servers are asked at the same time; 8 by default. */
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (event: Progress) => void;
}

/** What one server said, or why it could not be listed. */
export type Outcome =
  | { readonly server: string; readonly snapshot: ServerSnapshot }
  | { readonly server: string; readonly error: McpCodegenError };

/**
 * Asks every server, side by side; each succeeds or fails alone. Only what is the user's to mend (a missing variable, a
 * saved list that does not parse) throws, since it says nothing about the server.
 */
export async function snapshotServers(
  servers: readonly (readonly [name: string, server: ServerConfig])[],
  { concurrency = 8, onProgress, ...options }: SnapshotServersOptions,
): Promise<readonly Outcome[]> {
  const limit = pLimit(concurrency);
  const outcomes = servers.map(([server, config]) =>
    limit(async (): Promise<Outcome> => {
      onProgress?.({ server, stage: "connecting" });
      try {
        const taken = await snapshot(server, config, {
          ...options,
          onPage: (page, tools) => onProgress?.({ server, stage: "listing", page, tools }),
        });
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
