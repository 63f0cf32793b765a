import {
  acceptOptions,
  type Change,
  type FailOn,
  type JudgedChange,
  PHP_ENVIRONMENT,
} from "../contract/change.js";
import type { CassetteFinding } from "../contract/cassette-finding.js";
import type { MentionFinding } from "../contract/mention.js";
import type { Diagnostic, Unverified } from "../contract/diagnostic.js";
import { LOCKFILE_NAME } from "../contract/lockfile.js";
import { printable } from "../contract/printable.js";
import type { WaiverNotice } from "../contract/waivers.js";
import type {
  BudgetExcess,
  CheckReport,
  DiffReport,
  ImpactSummary,
  PhpNotes,
  StaleFile,
} from "../pipeline/reports.js";
import type { EnvironmentTable } from "./environment-table.js";
import { count } from "./layout.js";

/** A change with the sentence that `explain` of `drift/` gives. */
export interface ReportedChange extends JudgedChange {
  readonly explanation: string;
}

/** A command that fixes something, and what it does, as in `To accept`. */
interface Repair {
  readonly command: string;
  readonly does: string;
}

/** The input of every report format: a check, or a comparison of two contracts. */
export interface Findings {
  readonly changes: readonly ReportedChange[];
  readonly stale: readonly StaleFile[];
  readonly edited: readonly string[];
  /** Whether stale and edited files fail. They have no class, so they fail unless `failOn` is `never`. */
  readonly doFilesFail: boolean;
  readonly diagnostics: readonly Diagnostic[];
  readonly unverified: readonly Unverified[];
  /** Servers whose tools exceed their token budget. They always fail. */
  readonly overBudget?: readonly BudgetExcess[];
  /** Recorded calls that the lock contradicts. They fail as files do. */
  readonly cassettes?: readonly CassetteFinding[];
  /** Names of tools in files that agents read, which the lock does not have. */
  readonly mentions?: readonly MentionFinding[];
  /** The servers whose tools were compared. */
  readonly verified: readonly string[];
  /** How many generated files were compared. */
  readonly files: number;
  /** Waivers without effect. */
  readonly waivers?: readonly WaiverNotice[];
  /** What was done, as in `checked 1 server and 14 files against the lock`. */
  readonly work: string;
  /** The text when nothing was found, as in `Up to date`. */
  readonly clean: string;
  /** The commands that fix the findings, in the order to run them. */
  readonly repairs: readonly Repair[];
  /** A note about changes that no command accepts. */
  readonly note?: string;
  /** Environments side by side, where several were checked. */
  readonly environments?: readonly EnvironmentTable[];
  /** How the changes affect the user's code, where that was requested. */
  readonly impact?: ImpactSummary;
  /** PHP that was read instead of asking a server. */
  readonly php?: readonly PhpNotes[];
}

/** Whether nothing was found and everything was verified. Diagnostics of tools do not count. */
export function isClean({
  changes,
  stale,
  edited,
  unverified,
  overBudget = [],
  cassettes = [],
  mentions = [],
}: Findings): boolean {
  return [changes, stale, edited, unverified, overBudget, cassettes, mentions].every(
    ({ length }) => length === 0,
  );
}

/** Counts unknown names: "2 unknown names and 1 that is waived"; nothing without any. */
export function countMentions(mentions: readonly MentionFinding[]): readonly string[] {
  const waived = mentions.filter(({ waiver }) => waiver !== undefined).length;
  const open = mentions.length - waived;
  if (open === 0) return waived === 0 ? [] : [count(waived, "waived unknown name")];
  const rest = waived === 0 ? "" : ` and ${waived} that ${waived === 1 ? "is" : "are"} waived`;
  return [`${count(open, "unknown name")}${rest}`];
}

/** Returns a check's findings, with each change judged. */
export async function findingsOfCheck(
  report: CheckReport,
  {
    changes,
    failOn,
    isOffline = false,
  }: {
    readonly changes: readonly ReportedChange[];
    /** The threshold for servers without a policy. */
    readonly failOn: FailOn;
    readonly isOffline?: boolean;
  },
): Promise<Findings> {
  const { accepted, stale, edited, diagnostics, unverified, overBudget, cassettes, mentions } = report;
  const note = noteOn(report, changes);
  const environments = await tablesOf(report);
  const notCompared = (report.php ?? []).reduce((sum, { others }) => sum + others.length, 0);
  return {
    changes,
    stale,
    edited,
    doFilesFail: failOn !== "never",
    diagnostics,
    unverified,
    overBudget,
    cassettes,
    mentions,
    verified: report.checked.servers,
    files: report.checked.files,
    waivers: report.waivers,
    work: [
      `checked ${workOf(report, isOffline)}`,
      ...(notCompared > 0 ? [`${count(notCompared, "tool")} not compared`] : []),
      ...(accepted.length > 0 ? [`with ${count(accepted.length, "accepted finding")}`] : []),
    ].join(", "),
    // Tools that were not compared are never reported as up to date.
    clean: notCompared > 0 ? "No drift in the compared tools" : "Up to date",
    repairs: repairsOf({ ...report, changes: changes.filter(({ waiver }) => waiver === undefined) }),
    ...(note !== undefined && { note }),
    ...(environments.length > 0 && { environments }),
    ...(report.impact !== undefined && { impact: report.impact }),
    ...(report.php !== undefined && { php: report.php }),
  };
}

/** Loads the module only where several environments may have been checked. */
async function tablesOf(report: CheckReport): Promise<readonly EnvironmentTable[]> {
  if (report.checked.environments === undefined) return [];
  return (await import("./environment-table.js")).environmentTables(report);
}

function workOf({ checked, against }: CheckReport, isOffline: boolean): string {
  const files = count(checked.files, "file");
  const servers = count(checked.servers.length, "server");
  // Nothing is generated with `output: false`.
  const calls = checked.calls === undefined ? "" : ` and ${count(checked.calls, "recorded call")}`;
  const withCalls = calls === "" ? ` and ${files}` : `, ${files}${calls}`;
  const andFiles = checked.files === 0 ? calls : withCalls;
  if (against !== undefined) {
    const withFiles = andFiles === "" ? "" : `${andFiles} against the lock`;
    return `${servers} against ${JSON.stringify(against)}${withFiles}`;
  }
  if (isOffline) return `${files}${calls} against the lock`;
  const places = checked.environments?.length ?? 0;
  return places > checked.servers.length
    ? `${count(places, "environment")} of ${servers}${andFiles} against the lock`
    : `${servers}${andFiles} against the lock`;
}

/** Returns a note where `pull` cannot accept the changes. */
function noteOn(
  { changes, against, checked }: CheckReport,
  judged: readonly ReportedChange[],
): string | undefined {
  if (against !== undefined) {
    if (judged.some(({ fails }) => fails)) {
      return "To merge despite a change, waive it: --waive <rule> <tool> --until <date> --reason <text>.";
    }
    return changes.length === 0 ? undefined : "Merging this branch accepts these changes.";
  }
  if (checked.environments?.some(({ environment }) => environment === PHP_ENVIRONMENT) === true) {
    return changes.length === 0
      ? undefined
      : "PHP defines the abilities: deploy it to sites that are behind; run pull --php if the lock is behind.";
  }
  return changes.some(({ environment }) => environment !== undefined)
    ? "One lock covers all environments: bring them to the same state, or relax the threshold with --fail-on."
    : undefined;
}

/** The commands that make servers, lock and files agree again, in the order to run them. */
function repairsOf({ changes, stale, edited, against, checked, php = [] }: CheckReport): readonly Repair[] {
  const pullable = changes.filter(({ environment }) => environment === undefined && against === undefined);
  const isFromPhp = ({ server }: Change): boolean => php.some((notes) => notes.server === server);
  // When PHP is read as well, `pull` does not accept changes of the site: the site is behind, or the lock is.
  const inPhp = changes.filter(({ environment }) => environment === PHP_ENVIRONMENT);
  const isBeside = checked.environments?.some(({ environment }) => environment === PHP_ENVIRONMENT) ?? false;
  const [source, live] = isBeside
    ? [inPhp, []]
    : [pullable.filter(isFromPhp), pullable.filter((change) => !isFromPhp(change))];
  // After a merge, the lock names `generate`, which raises contracts and writes the files.
  const isLockStale = stale.some(({ path, hint }) => path === LOCKFILE_NAME && hint === undefined);
  const areFilesStale = stale.some(({ path, hint }) => path !== LOCKFILE_NAME || hint !== undefined);
  return [
    ...(edited.length > 0
      ? [{ command: "npx mcp-codegen generate --force", does: "Undo the hand edits, or overwrite them" }]
      : []),
    // Accepting drift also writes the files.
    ...(areFilesStale && pullable.length === 0 && !isLockStale && edited.length === 0
      ? [{ command: "npx mcp-codegen generate", does: "To write the files from the lock" }]
      : []),
    ...(source.length > 0 ? [{ command: pullOf(source, ["--php"]), does: "To accept" }] : []),
    ...(live.length > 0 || isLockStale
      ? [
          {
            command: isLockStale ? ["npx mcp-codegen pull", ...acceptOf(live)].join(" ") : pullOf(live, []),
            does: live.length > 0 ? "To accept" : "To bring the lock up to date",
          },
        ]
      : []),
    ...(changes.some(hitsOldName)
      ? [
          {
            command: `npx mcp-codegen fix${against === undefined ? "" : ` --against ${against}`}`,
            does: against === undefined ? "Then, to edit what names it" : "To edit what names it",
          },
        ]
      : []),
  ];
}

/** Whether your code or a file for agents has a name that was replaced. */
function hitsOldName({ rule, callSites = [] }: Change): boolean {
  return rule.endsWith("-renamed") && callSites.length > 0;
}

function pullOf(changes: readonly Change[], options: readonly string[]): string {
  const servers = new Set(changes.map(({ server }) => server));
  return ["npx mcp-codegen pull", ...options, ...servers, ...acceptOf(changes)].join(" ");
}

function acceptOf(changes: readonly Change[]): readonly string[] {
  return acceptOptions(changes.filter(({ security }) => security));
}

/** Returns the differences between two contracts. There is nothing to fix, so there are no repairs. */
export function findingsOfDiff(report: DiffReport, changes: readonly ReportedChange[]): Findings {
  const { before, after, compared } = report;
  const scope = `${count(compared.servers.length, "server")} and ${count(compared.tools, "tool")}`;
  return {
    changes,
    stale: [],
    edited: [],
    doFilesFail: true,
    diagnostics: report.diagnostics ?? [],
    unverified: report.unverified ?? [],
    verified: compared.servers,
    files: 0,
    work: `compared ${scope}, ${printable(before)} → ${printable(after)}`,
    clean: "No difference",
    repairs: [],
  };
}
