import { getServer } from "../config/config.js";
import type { LoadedConfig } from "../config/load-config.js";
import type { Change } from "../contract/change.js";
import { McpCodegenError } from "../contract/errors.js";
import { diffServer, type DiffServerOptions } from "../drift/diff-server.js";
import { snapshotServers, type Outcome } from "../sources/snapshot-servers.js";
import type { Drift } from "./find-drift.js";
import type { SourceOptions, EraComparison } from "./reports.js";
import { explainFailure } from "./take-snapshots.js";

/**
 * Lists servers in both eras of the protocol and compares the two lists. Each change leads from the list of the
 * legacy era to that of the modern era. A server that speaks one era has no changes.
 *
 * @throws McpCodegenError `SERVER_UNKNOWN` for a server that is not configured, `USAGE` if none can be contacted
 */
export async function compareEras(
  { config, dir }: LoadedConfig,
  { servers = Object.keys(config.servers), onProgress, ...options }: SourceOptions,
): Promise<Drift & { readonly eras: readonly EraComparison[] }> {
  const live = servers.filter((name) => {
    const { url, command } = getServer(config.servers, name);
    return url !== undefined || command !== undefined;
  });
  if (live.length === 0) {
    throw new McpCodegenError("USAGE", "--eras requires a server with a url or a command.", {
      hint: "Saved lists and PHP have no protocol.",
    });
  }
  const list = (era: "legacy" | "modern"): Promise<readonly Outcome[]> =>
    snapshotServers(
      live.map((name) => ({
        server: name,
        settings: { ...getServer(config.servers, name), protocol: era },
      })),
      {
        ...options,
        dir,
        // A server that refuses an era has not failed; those that have are in the report.
        ...(onProgress !== undefined && {
          onProgress: (event) => {
            if (event.stage !== "failed") onProgress(event);
          },
        }),
      },
    );
  // One after the other: a server may keep one session for each account.
  const legacy = await list("legacy");
  const modern = await list("modern");
  const pairs = legacy.flatMap((old, index) => {
    const now = modern[index];
    return now === undefined ? [] : [comparePair(old, now, config.servers[old.server])];
  });
  return {
    changes: pairs.flatMap(({ changes }) => changes),
    diagnostics: [],
    unverified: pairs.flatMap(({ failed }) => failed).flatMap(explainFailure),
    revise: () => [],
    eras: pairs.flatMap(({ comparison }) => comparison ?? []),
    checked: {
      servers: pairs.flatMap(({ server, comparison }) => (comparison === undefined ? [] : [server])),
    },
  };
}

interface ComparedPair {
  readonly server: string;
  readonly changes: readonly Change[];
  /** Absent when the server could not be listed in an era that it may speak. */
  readonly comparison?: EraComparison;
  readonly failed: readonly Outcome[];
}

function comparePair(legacy: Outcome, modern: Outcome, schemas: DiffServerOptions["schemas"]): ComparedPair {
  const { server } = legacy;
  const failed = [legacy, modern].filter((outcome) => "error" in outcome && !isOfOtherEra(outcome));
  const isKnown = "snapshot" in legacy || "snapshot" in modern;
  // A server that speaks neither era is not a server of one era.
  if (failed.length > 0 || !isKnown)
    return { server, changes: [], failed: failed.length > 0 ? failed : [legacy, modern] };
  const comparison: EraComparison = {
    server,
    ...("snapshot" in legacy && { legacy: legacy.snapshot.identity.protocolVersion }),
    ...("snapshot" in modern && { modern: modern.snapshot.identity.protocolVersion }),
  };
  if (!("snapshot" in legacy) || !("snapshot" in modern))
    return { server, changes: [], comparison, failed: [] };
  const environment = modern.snapshot.identity.protocolVersion;
  const changes = diffServer(server, legacy.snapshot, modern.snapshot, { schemas })
    .filter(({ rule }) => rule !== "server-protocol-changed")
    .map((change) => ({ ...change, environment }));
  return { server, changes, comparison, failed: [] };
}

function isOfOtherEra(outcome: Outcome): boolean {
  return "error" in outcome && outcome.error.code === "PROTOCOL_UNSUPPORTED";
}
