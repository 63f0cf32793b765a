import { LOCKFILE_NAME } from "../contract/lockfile.js";
import type { CheckReport } from "../contract/reports.js";
import { count } from "./count.js";
import type { Findings, Repair, ReportedChange } from "./findings.js";

/** A check's findings, its changes judged. */
export function findingsOfCheck(
  report: CheckReport,
  {
    changes,
    isOffline = false,
  }: { readonly changes: readonly ReportedChange[]; readonly isOffline?: boolean },
): Findings {
  const files = count(report.checked.files, "file");
  const servers = count(report.checked.servers.length, "server");
  const { stale, edited, diagnostics, unverified } = report;
  return {
    changes,
    stale,
    edited,
    diagnostics,
    unverified,
    work: `checked ${isOffline ? files : `${servers} and ${files}`} against the lock`,
    clean: "In order",
    repairs: repairsOf(report),
  };
}

/** The commands that bring servers, lock and files together again, in the order to run them. */
function repairsOf({ changes, stale, edited }: CheckReport): readonly Repair[] {
  const servers = [...new Set(changes.map(({ server }) => server))];
  const isLockStale = stale.some(({ path }) => path === LOCKFILE_NAME);
  const areFilesStale = stale.some(({ path }) => path !== LOCKFILE_NAME);
  return [
    ...(edited.length > 0
      ? [
          {
            command: "npx mcp-codegen generate --force",
            does: "Undo the hand edits, or overwrite them",
          },
        ]
      : []),
    // Accepting drift writes the files too.
    ...(areFilesStale && servers.length === 0 && !isLockStale && edited.length === 0
      ? [{ command: "npx mcp-codegen generate", does: "To write the files from the lock" }]
      : []),
    ...(servers.length > 0 || isLockStale
      ? [
          {
            command: ["npx mcp-codegen pull", ...(isLockStale ? [] : servers)].join(" "),
            does: servers.length > 0 ? "To accept" : "To bring the lock up to date",
          },
        ]
      : []),
  ];
}
