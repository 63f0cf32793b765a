import { acceptOptions } from "../core/finding-id.js";
import { type Change, type JudgedChange, PHP_ENVIRONMENT, type ImpactSummary } from "../core/change.js";
import type { FailOn } from "../core/check-policy.js";
import type { MentionFinding } from "../core/findings.js";
import { isRefusal } from "../core/hosts/host.js";
import { LOCKFILE_NAME } from "../core/lockfile.js";
import { printable } from "../core/printable.js";
import type { CheckReport, DefinitionsOf, DiffReport, StaleFile } from "../pipeline/reports.js";
import type { EnvironmentTable } from "./environment-table.js";
import { countFindings, foldChanges } from "./fold-changes.js";
import { count, present } from "./layout.js";

/** A change with the sentence that `explain` of `drift/` gives. */
export interface ReportedChange extends JudgedChange {
  /** The meaning of the change, in one sentence. */
  readonly explanation: string;
}

/** A command that fixes findings, and its purpose, as in `To accept`. */
interface Repair {
  readonly command: string;
  readonly does: string;
}

/** The lists of a check's report that every format shows: all of them, except the findings that waivers accept. */
export type ReportList = Exclude<
  {
    [Key in keyof CheckReport]-?: NonNullable<CheckReport[Key]> extends readonly unknown[] ? Key : never;
  }[keyof CheckReport],
  "accepted"
>;

type ReportLists = { readonly [List in ReportList]: NonNullable<CheckReport[List]> };

/** The input of every report format: a check, or a comparison of two contracts. */
export interface Findings extends ReportLists {
  readonly changes: readonly ReportedChange[];
  /** Whether stale and edited files fail. They have no class, so they fail unless `failOn` is `never`. */
  readonly doFilesFail: boolean;
  /** The servers whose tools were compared. */
  readonly verified: readonly string[];
  /** How many generated files were compared. */
  readonly files: number;
  /** The work done, as in `checked 1 server and 14 files against the lock`. */
  readonly work: string;
  /** The text when nothing was found, as in `Up to date`. */
  readonly clean: string;
  /** The commands that fix the findings, in the order to run them. */
  readonly repairs: readonly Repair[];
  /** A note about changes that no command accepts. */
  readonly note?: string | undefined;
  /** Environments side by side, where several were checked. */
  readonly environments?: readonly EnvironmentTable[] | undefined;
  /** Returns the definitions of a change's tool; absent where only the changes are known. */
  readonly definitionsOf?: DefinitionsOf | undefined;
  /** The names of the compared sides, as in `Locked` and `Now`. */
  readonly sides?: readonly [before: string, after: string] | undefined;
  /** How the changes affect the user's code, where that was requested. */
  readonly impact?: ImpactSummary | undefined;
}

/** A report without entries. */
export const NO_FINDINGS = {
  changes: [],
  stale: [],
  edited: [],
  diagnostics: [],
  unverified: [],
  overBudget: [],
  cassettes: [],
  scripts: [],
  mentions: [],
  hosts: [],
  waivers: [],
  php: [],
  doFilesFail: true,
  verified: [],
  files: 0,
  repairs: [],
} as const satisfies Partial<Findings>;

/** Whether an entry of a list is a finding. The others are notes. */
const IS_FINDING: Readonly<Record<ReportList, boolean>> = {
  changes: true,
  stale: true,
  edited: true,
  unverified: true,
  overBudget: true,
  cassettes: true,
  scripts: true,
  mentions: true,
  hosts: true,
  diagnostics: false,
  waivers: false,
  php: false,
};

const LISTS = Object.keys(IS_FINDING) as readonly ReportList[];

/** Whether a report has neither findings nor notes. */
export function isEmpty(findings: Findings): boolean {
  return [...LISTS.map((list) => findings[list]), findings.environments ?? []].every(
    ({ length }) => length === 0,
  );
}

/** Whether nothing was found and everything was verified. Diagnostics of tools do not count. */
export function isClean(findings: Findings): boolean {
  const others = LISTS.filter((list) => list !== "hosts" && IS_FINDING[list]);
  return others.every((list) => findings[list].length === 0) && !findings.hosts.some(isRefusal);
}

/** Returns the exit code of a check: 1 for findings that fail, 3 for servers that could not be verified. */
export function exitCodeOfCheck(
  { changes, doFilesFail, overBudget, unverified, ...files }: Findings,
  { allowUnresolved = false }: { readonly allowUnresolved?: boolean | undefined } = {},
): 0 | 1 | 3 {
  const { stale, edited, cassettes, scripts, mentions, hosts } = files;
  const open = mentions.filter(({ waiver }) => waiver === undefined);
  const inFiles = [stale, edited, cassettes, scripts, open, hosts.filter(isRefusal)].flat();
  const fails = overBudget.length > 0 || changes.some((change) => change.fails);
  if (fails || (doFilesFail && inFiles.length > 0)) return 1;
  return unverified.some(({ rule }) => !allowUnresolved || rule !== "php-unresolved") ? 3 : 0;
}

/** Counts the findings in cassettes and scripts, unknown names, and tools and lists that hosts refuse: "3 refusals by hosts". */
export function countOthers({ cassettes, scripts, mentions, hosts }: Findings): readonly string[] {
  const refusals = hosts.filter(isRefusal).length;
  return present(
    cassettes.length > 0 && `${count(cassettes.length, "problem")} in cassettes`,
    scripts.length > 0 && `${count(scripts.length, "problem")} in scripts`,
    ...countMentions(mentions),
    refusals > 0 && `${count(refusals, "refusal")} by hosts`,
  );
}

/** Counts unknown names: "2 unknown names and 1 that is waived"; nothing without any. */
function countMentions(mentions: readonly MentionFinding[]): readonly string[] {
  const waived = mentions.filter(({ waiver }) => waiver !== undefined).length;
  const open = mentions.length - waived;
  if (open === 0) return waived === 0 ? [] : [count(waived, "waived unknown name")];
  const rest = waived === 0 ? "" : ` and ${waived} that ${waived === 1 ? "is" : "are"} waived`;
  return [`${count(open, "unknown name")}${rest}`];
}

function countStale(stale: readonly StaleFile[]): readonly string[] {
  const isIn = (...states: readonly StaleFile["state"][]): readonly StaleFile[] =>
    stale.filter(({ state }) => states.includes(state));
  // The lock has an entry for each reason why it is out of date.
  const others = new Set(isIn("missing", "stale", "orphaned").map(({ path }) => path)).size;
  const inTheWay = isIn("in-the-way").length;
  return present(
    isIn("cut-off").length > 0 && "a write was cut off",
    inTheWay > 0 && `${count(inTheWay, "file")} in the way`,
    others > 0 && `${count(others, "file")} out of date`,
  );
}

/** A one-line summary of the work and the findings, without a full stop. */
export function summaryOf(findings: Findings): string {
  const { work, changes, stale, edited, unverified, overBudget } = findings;
  if (isClean(findings)) return `${findings.clean}: ${work}`;
  const folded = foldChanges(changes);
  const harmless = folded.length === 1 ? "which does not fail the check" : "none of which fails the check";
  const found = present(
    changes.length > 0 && countFindings(folded),
    changes.length > 0 && !changes.some(({ fails }) => fails) && harmless,
    overBudget.length > 0 && `${count(overBudget.length, "token budget")} exceeded`,
    ...countOthers(findings),
    ...countStale(stale),
    edited.length > 0 && `${count(edited.length, "file")} edited by hand`,
    unverified.length > 0 && `${unverified.length} not verified`,
  );
  return `${work.charAt(0).toUpperCase()}${work.slice(1)}: ${found.join(", ")}`;
}

/** Returns a check's findings, with each change judged. */
export async function findingsOfCheck(
  report: CheckReport,
  {
    changes,
    failOn,
    isOffline = false,
    definitionsOf,
  }: {
    readonly changes: readonly ReportedChange[];
    /** The threshold for servers without a policy. */
    readonly failOn: FailOn;
    readonly isOffline?: boolean;
    readonly definitionsOf?: DefinitionsOf | undefined;
  },
): Promise<Findings> {
  const { accepted, against, checked, php = [] } = report;
  const notCompared = php.reduce((sum, { others }) => sum + others.length, 0);
  // Only several environments need the module.
  const tables = checked.environments && (await import("./environment-table.js")).environmentTables(report);
  return {
    ...report,
    changes,
    php,
    doFilesFail: failOn !== "never",
    verified: checked.servers,
    files: checked.files,
    work: present(
      `checked ${workOf(report, isOffline)}`,
      notCompared > 0 && `${count(notCompared, "tool")} not compared`,
      accepted.length > 0 && `with ${count(accepted.length, "accepted finding")}`,
    ).join(", "),
    // Tools that were not compared are never reported as up to date.
    clean: notCompared > 0 ? "No drift in the compared tools" : "Up to date",
    repairs: repairsOf({ ...report, changes: changes.filter(({ waiver }) => waiver === undefined) }),
    note: noteOn(report, changes),
    environments: tables?.length === 0 ? undefined : tables,
    definitionsOf,
    sides: [against === undefined ? "Locked" : printable(against), "Now"],
  };
}

function workOf({ checked, against }: CheckReport, isOffline: boolean): string {
  const { files, scripts, calls, servers, environments = [] } = checked;
  const isLockAlone = isOffline && against === undefined;
  const others = present(
    // Nothing is generated with `output: false`.
    (isLockAlone || files > 0) && count(files, "file"),
    scripts !== undefined && count(scripts, "script"),
    calls !== undefined && count(calls, "recorded call"),
  );
  const named = count(servers.length, "server");
  const places =
    environments.length > servers.length ? `${count(environments.length, "environment")} of ` : "";
  const source = against === undefined ? `${places}${named}` : `${named} against ${JSON.stringify(against)}`;
  const all = [...(isLockAlone ? [] : [source]), ...others];
  const list = [all.slice(0, -1).join(", "), ...all.slice(-1)].filter((part) => part !== "").join(" and ");
  return against !== undefined && others.length === 0 ? list : `${list} against the lock`;
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
  const differing = [...new Set(changes.flatMap(({ environment }) => environment ?? []))];
  if (differing.length === 0) return undefined;
  const names = differing.map((name) => printable(name, 80)).join(", ");
  return [
    `The lock has one contract for all environments, that of the main endpoint. If ${names} is behind, deploy there. If it is ahead, deploy to the main endpoint too, then run "npx mcp-codegen pull".`,
    "To accept a difference for now, waive it: --waive <rule> <tool> --until <date> --reason <text>.",
  ].join(" ");
}

/** The commands that make servers, lock and files agree again, in the order to run them. */
function repairsOf({ changes, stale, edited, against, checked, php = [] }: CheckReport): readonly Repair[] {
  const pullable = changes.filter(({ environment }) => environment === undefined && against === undefined);
  const isFromPhp = ({ server }: Change): boolean => php.some((notes) => notes.server === server);
  // When PHP is read as well, `pull` does not accept changes of the site: the site is behind, or the lock is.
  const inPhp = changes.filter(({ environment }) => environment === PHP_ENVIRONMENT);
  const isBeside = checked.environments?.some(({ environment }) => environment === PHP_ENVIRONMENT) ?? false;
  const source = isBeside ? inPhp : pullable.filter(isFromPhp);
  const live = isBeside ? [] : pullable.filter((change) => !isFromPhp(change));
  // After a merge, the lock names `generate`, which raises contracts and writes the files.
  const isLock = ({ path, hint }: StaleFile): boolean => path === LOCKFILE_NAME && hint === undefined;
  const isLockStale = stale.some(isLock);
  const isLocal = against === undefined;
  // Accepting drift also writes the files.
  const areFilesAlone = pullable.length === 0 && !isLockStale && edited.length === 0;
  const repairs: readonly (Repair | false)[] = [
    edited.length > 0 && repair("generate --force", "Undo the hand edits, or overwrite them"),
    areFilesAlone && stale.length > 0 && repair("generate", "To write the files from the lock"),
    source.length > 0 && repair(pullOf(source, ["--php"]), "To accept"),
    (live.length > 0 || isLockStale) &&
      repair(
        // A stale lock needs all servers.
        isLockStale ? ["pull", ...acceptOf(live)].join(" ") : pullOf(live, []),
        live.length > 0 ? "To accept" : "To bring the lock up to date",
      ),
    changes.some(hitsOldName) &&
      repair(
        isLocal ? "fix" : `fix --against ${against}`,
        isLocal ? "Then, to edit what names it" : "To edit what names it",
      ),
  ];
  return repairs.filter((each) => each !== false);
}

function repair(command: string, does: string): Repair {
  return { command: `npx mcp-codegen ${command}`, does };
}

/** Whether your code has a name that was replaced. A file for agents is not edited. */
function hitsOldName({ rule, callSites = [] }: Change): boolean {
  return rule.endsWith("-renamed") && callSites.some(({ effect }) => effect !== "names-it");
}

function pullOf(changes: readonly Change[], options: readonly string[]): string {
  const servers = new Set(changes.map(({ server }) => server));
  return ["pull", ...options, ...servers, ...acceptOf(changes)].join(" ");
}

function acceptOf(changes: readonly Change[]): readonly string[] {
  return acceptOptions(changes.filter(({ security }) => security));
}

/** Returns the differences between two contracts. There is nothing to fix, so there are no repairs. */
export function findingsOfDiff(report: DiffReport, changes: readonly ReportedChange[]): Findings {
  const { before, after, compared } = report;
  const scope = `${count(compared.servers.length, "server")} and ${count(compared.tools, "tool")}`;
  return {
    ...NO_FINDINGS,
    changes,
    diagnostics: report.diagnostics ?? [],
    verified: compared.servers,
    work: `compared ${scope}, ${printable(before)} → ${printable(after)}`,
    clean: "No difference",
  };
}
