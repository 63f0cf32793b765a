import type { Change } from "../contract/change.js";
import { LOCKFILE_NAME } from "../contract/lockfile.js";
import type { CheckReport } from "../contract/reports.js";
import { count } from "./count.js";
import type { Paint } from "./paint.js";
import { printable } from "./printable.js";
import { printChanges, type Explain } from "./print-changes.js";
import { printDiagnostics } from "./print-diagnostics.js";
import { printFiles, printUnverified } from "./print-files.js";

/** Drift, stale files, hand edits and what was not verified, each with the command that mends it. */
export function printCheck(
  report: CheckReport,
  context: {
    readonly paint: Paint;
    readonly explain: Explain;
    /** Whether a change is at or above the threshold. */
    readonly fails: (change: Change) => boolean;
    readonly isOffline?: boolean;
  },
): readonly string[] {
  const { paint } = context;
  const lines = [
    ...printDrift(report.changes, context),
    ...printFiles("Out of date:", report.stale, paint),
    ...(report.edited.length === 0
      ? []
      : [
          paint.bold("Edited by hand:"),
          ...report.edited.map((path) => paint.yellow(`  ${printable(path)}`)),
        ]),
    ...printDiagnostics(report.diagnostics, paint),
    ...printUnverified(report.unverified, paint),
  ];
  const repairs = repairsOf(report);
  return [
    ...lines,
    printSummary(report, context),
    ...repairs.map(({ command, does }) => `${does}: ${paint.bold(command)}`),
  ];
}

function printDrift(
  changes: readonly Change[],
  context: { readonly paint: Paint; readonly explain: Explain },
): readonly string[] {
  return serversOf(changes).flatMap((server) => {
    const those = changes.filter((change) => change.server === server);
    const { paint } = context;
    return [
      `${paint.bold(server)} differs from the lock: ${count(those.length, "change")}`,
      ...printChanges(those, context),
    ];
  });
}

export interface Repair {
  readonly command: string;
  readonly does: string;
}

/** The commands that bring servers, lock and files together again, in the order to run them. */
export function repairsOf(report: CheckReport): readonly Repair[] {
  const servers = serversOf(report.changes);
  const isLockStale = report.stale.some(({ path }) => path === LOCKFILE_NAME);
  const areFilesStale = report.stale.some(({ path }) => path !== LOCKFILE_NAME);
  return [
    ...(report.edited.length > 0
      ? [
          {
            command: "npx mcp-codegen generate --force",
            does: "Undo the hand edits, or overwrite them",
          },
        ]
      : []),
    // Accepting drift writes the files too.
    ...(areFilesStale && servers.length === 0 && !isLockStale && report.edited.length === 0
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

function printSummary(
  report: CheckReport,
  context: {
    readonly paint: Paint;
    readonly fails: (change: Change) => boolean;
    readonly isOffline?: boolean;
  },
): string {
  const { paint, fails, isOffline = false } = context;
  const files = count(report.checked.files, "file");
  const servers = count(report.checked.servers.length, "server");
  const scope = isOffline ? `${files} against the lock` : `${servers} and ${files} against the lock`;
  const found = [
    ...(report.changes.length > 0
      ? [
          `${count(report.changes.length, "change")}${report.changes.some(fails) ? "" : ", none of which fails"}`,
        ]
      : []),
    ...(report.stale.length > 0 ? [`${count(report.stale.length, "file")} out of date`] : []),
    ...(report.edited.length > 0 ? [`${count(report.edited.length, "file")} edited by hand`] : []),
    ...(report.unverified.length > 0 ? [`${report.unverified.length} not verified`] : []),
  ];
  return found.length === 0
    ? `${paint.green("In order:")} checked ${scope}.`
    : `Checked ${scope}: ${found.join(", ")}.`;
}

function serversOf(changes: readonly Change[]): readonly string[] {
  return [...new Set(changes.map(({ server }) => server))];
}
