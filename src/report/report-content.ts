import { type Change, type ImpactSummary, PHP_ENVIRONMENT } from "../core/change.js";
import type { FailOn } from "../core/check-policy.js";
import type { Finding } from "../core/finding.js";
import { acceptOptions } from "../core/waivers.js";
import {
  doesFail,
  findingOfNote,
  type Findings,
  isUnaccepted,
  NO_FINDINGS,
  type Section,
  SECTIONS,
} from "../core/findings.js";
import { listWords } from "../core/collections.js";
import { isLockPath, LOCKFILE_NAME } from "../core/lockfile.js";
import { printable } from "../core/printable.js";
import type { CheckReport } from "../pipeline/check/check-report.js";
import type { DiffReport } from "../pipeline/diff/diff.js";
import { type EnvironmentTable, environmentTables } from "./environment-table.js";
import { countFindings, foldChanges } from "./fold-changes.js";
import { count, present } from "./layout.js";

/** Something to do about findings, usually a command, and its purpose in few words: `take it`. */
export interface Repair {
  readonly command: string;
  readonly does: string;
}

/** The input of every report format: the findings of a check or a comparison of two contracts, and what is said about all. */
export interface ReportContent extends Findings {
  /** Whether stale and edited files fail. They have no class, so they fail unless `failOn` is `never`. */
  readonly doFilesFail: boolean;
  /** The servers whose tools were compared. */
  readonly verified: readonly string[];
  /** How many generated files were compared. */
  readonly comparedFiles: number;
  /** The work done, as in `checked 1 server and 14 files against the lock`. */
  readonly work: string;
  /** The text when nothing was found, as in `Up to date`. */
  readonly clean: string;
  /** The commands that fix the findings, in the order to run them. */
  readonly repairs: readonly Repair[];
  /** What else can be done: take one change alone, stay with the old version, let a change pass. */
  readonly ways: readonly Repair[];
  /** A note about changes that no command accepts. */
  readonly note?: string | undefined;
  /** Environments side by side, where several were checked. */
  readonly environments?: readonly EnvironmentTable[] | undefined;
  /** How the changes affect the user's code, where that was requested. */
  readonly impact?: ImpactSummary | undefined;
}

/** A report without entries. */
export const NO_CONTENT = {
  ...NO_FINDINGS,
  doFilesFail: true,
  verified: [],
  comparedFiles: 0,
  repairs: [],
  ways: [],
} as const satisfies Partial<ReportContent>;

/** Whether a report has neither findings nor notes. */
export function isEmpty(content: ReportContent): boolean {
  return [...SECTIONS.map((section) => content[section]), content.environments ?? []].every(
    ({ length }) => length === 0,
  );
}

/** Sections that inform: what they have fails nothing. */
const INFORMING: readonly Section[] = ["notes", "waivers", "php"];

/** Whether nothing was found and everything was verified. What a host merely alters does not count. */
export function isClean(content: ReportContent): boolean {
  return SECTIONS.every(
    (section) =>
      INFORMING.includes(section) ||
      !(section === "hosts" ? content.hosts.some(isUnaccepted) : content[section].length > 0),
  );
}

/** Returns the exit code of a check: 1 for findings that fail, 3 for servers that could not be verified. */
export function exitCodeOfCheck(
  content: ReportContent,
  { allowUnresolved = false }: { readonly allowUnresolved?: boolean | undefined } = {},
): 0 | 1 | 3 {
  const { unverified, doFilesFail } = content;
  const fails = (section: Section): boolean =>
    content[section].some((finding) => doesFail(section, finding, doFilesFail));
  if (SECTIONS.some((section) => section !== "unverified" && fails(section))) return 1;
  return unverified.some(({ rule }) => !allowUnresolved || rule !== "php-unresolved") ? 3 : 0;
}

/** Counts the findings in cassettes and scripts, unknown names, and tools and lists that hosts refuse: "3 refusals by hosts". */
export function countOthers({ records, scripts, names, hosts }: Findings): readonly string[] {
  const refusals = hosts.filter(isUnaccepted).length;
  return present(
    records.length > 0 && `${count(records.length, "problem")} in cassettes`,
    scripts.length > 0 && `${count(scripts.length, "problem")} in scripts`,
    ...countNames(names),
    refusals > 0 && `${count(refusals, "refusal")} by hosts`,
  );
}

/** Counts unknown names: "2 unknown names and 1 that is waived"; nothing without any. */
function countNames(names: readonly Finding[]): readonly string[] {
  const open = names.filter(isUnaccepted).length;
  const waived = names.length - open;
  if (open === 0) return waived === 0 ? [] : [count(waived, "waived unknown name")];
  const rest = waived === 0 ? "" : ` and ${waived} that ${waived === 1 ? "is" : "are"} waived`;
  return [`${count(open, "unknown name")}${rest}`];
}

/** Whether a generated file was edited by hand. The others are out of date. */
export function isEdited({ facts }: Finding): boolean {
  return facts?.state === "edited";
}

/** Returns the generated files in one of these states. */
export function filesIn(files: readonly Finding[], ...states: readonly string[]): readonly Finding[] {
  return files.filter(({ facts }) => states.includes(facts?.state ?? ""));
}

function countFiles(files: readonly Finding[]): readonly string[] {
  // The lock has an entry for each reason why it is out of date.
  const others = new Set(filesIn(files, "missing", "stale", "orphaned").map(({ file }) => file)).size;
  const inTheWay = filesIn(files, "in-the-way").length;
  const edited = filesIn(files, "edited").length;
  return present(
    filesIn(files, "cut-off").length > 0 && "a write was cut off",
    inTheWay > 0 && `${count(inTheWay, "file")} in the way`,
    others > 0 && `${count(others, "file")} out of date`,
    edited > 0 && `${count(edited, "file")} edited by hand`,
  );
}

/** A one-line summary of the work and the findings, without a full stop. */
export function summaryOf(content: ReportContent): string {
  const { work, changes, files, unverified, budget } = content;
  if (isClean(content)) return `${content.clean}: ${work}`;
  const folded = foldChanges(changes);
  const harmless = folded.length === 1 ? "which does not fail the check" : "none of which fails the check";
  const parts = present(
    changes.length > 0 && countFindings(folded),
    changes.length > 0 && !changes.some(({ fails }) => fails) && harmless,
    budget.length > 0 && `${count(budget.length, "token budget")} exceeded`,
    ...countOthers(content),
    ...countFiles(files),
    unverified.length > 0 && `${unverified.length} not verified`,
  );
  return `${work.charAt(0).toUpperCase()}${work.slice(1)}: ${parts.join(", ")}`;
}

interface JudgedCheck {
  readonly changes: readonly Change[];
  /** The threshold for servers without a policy. */
  readonly failOn: FailOn;
  readonly isOffline?: boolean;
  readonly ways?: readonly Repair[];
}

/** Returns the content of a check's report, with each change judged. */
export function contentOfCheck(
  report: CheckReport,
  { changes, failOn, isOffline = false, ways = [] }: JudgedCheck,
): ReportContent {
  const { accepted, checked } = report;
  const notCompared = report.php.reduce((sum, { facts }) => sum + (facts?.php?.others.length ?? 0), 0);
  const tables = environmentTables(report);
  return {
    ...report,
    changes,
    doFilesFail: failOn !== "never",
    verified: checked.servers,
    comparedFiles: checked.files,
    work: present(
      `checked ${workOf(report, isOffline)}`,
      notCompared > 0 && `${count(notCompared, "tool")} not compared`,
      accepted.length > 0 && `with ${count(accepted.length, "accepted finding")}`,
    ).join(", "),
    // Tools that were not compared are never reported as up to date.
    clean: notCompared > 0 ? "No drift in the compared tools" : "Up to date",
    repairs: repairsOf({ ...report, changes: changes.filter(({ waiver }) => waiver === undefined) }),
    ways,
    note: noteOn(report),
    environments: tables.length === 0 ? undefined : tables,
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
  const list = listWords([...(isLockAlone ? [] : [source]), ...others]);
  return against !== undefined && others.length === 0 ? list : `${list} against the lock`;
}

/** Returns a note where `pull` cannot accept the changes. */
function noteOn({ changes, against, checked }: CheckReport): string | undefined {
  if (changes.length === 0) return undefined;
  if (against !== undefined)
    return isLockPath(against)
      ? 'To accept these changes, run "npx mcp-codegen pull" in the project that has the lock.'
      : "Merging this branch accepts these changes.";
  if (checked.environments?.some(({ environment }) => environment === PHP_ENVIRONMENT) === true)
    return "PHP defines the abilities: deploy it to sites that are behind; run pull --php if the lock is behind.";
  const differing = [...new Set(changes.flatMap(({ environment }) => environment ?? []))];
  if (differing.length === 0) return undefined;
  const names = differing.map((name) => printable(name, 80)).join(", ");
  return `The lock has one contract for all environments, that of the main endpoint. If ${names} is behind, deploy there. If it is ahead, deploy to the main endpoint too, then run "npx mcp-codegen pull".`;
}

/** Names the repair that locks what servers have now. */
export const TAKE_IT = "take it";

/** The commands that make servers, lock and files agree again, in the order to run them. */
function repairsOf({ changes, files, against, checked, php }: CheckReport): readonly Repair[] {
  const edited = files.filter(isEdited);
  const stale = files.filter((finding) => !isEdited(finding));
  const pullable = changes.filter(({ environment }) => environment === undefined && against === undefined);
  const isFromPhp = ({ server }: Change): boolean => php.some((notes) => notes.server === server);
  // When PHP is read as well, `pull` does not accept changes of the site: the site is behind, or the lock is.
  const inPhp = changes.filter(({ environment }) => environment === PHP_ENVIRONMENT);
  const isBeside = checked.environments?.some(({ environment }) => environment === PHP_ENVIRONMENT) ?? false;
  const source = isBeside ? inPhp : pullable.filter(isFromPhp);
  const live = isBeside ? [] : pullable.filter((change) => !isFromPhp(change));
  // After a merge, the lock names `generate`, which raises contracts and writes the files.
  const isLock = ({ file, hint }: Finding): boolean => file === LOCKFILE_NAME && hint === undefined;
  const isLockStale = stale.some(isLock);
  const isRemoved = stale.some((finding) => isLock(finding) && finding.facts?.isRemoval);
  const isEmptied = ({ server }: Change): boolean => checked.emptied?.includes(server) === true;
  const isLocal = against === undefined;
  // Accepting drift also writes the files.
  const areFilesAlone = pullable.length === 0 && !isLockStale && edited.length === 0;
  const repairs: readonly (Repair | false)[] = [
    edited.length > 0 && repair("generate --force", "undo the hand edits, or overwrite them"),
    areFilesAlone && stale.length > 0 && repair("generate", "write the files from the lock"),
    source.length > 0 && repair(pullOf(source, ["--php"]), TAKE_IT),
    (live.length > 0 || isLockStale) &&
      repair(
        // A stale lock needs all servers.
        isLockStale
          ? ["pull", ...(isRemoved ? ["--remove"] : []), ...acceptOf(live)].join(" ")
          : pullOf(live, [], live.some(isEmptied) ? ["--remove"] : []),
        live.length > 0 ? TAKE_IT : "bring the lock up to date",
      ),
    // The edits follow the lock, so servers' changes are taken first.
    isLocal
      ? [...source, ...live].some(hitsOldName) && repair("fix", "then rename it in your code")
      : changes.some(hitsOldName) && repair(`fix --against ${against}`, "rename it in your code"),
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

/** The command that takes these changes. */
export function pullOf(
  changes: readonly Change[],
  source: readonly string[],
  scope: readonly string[] = [],
): string {
  const servers = new Set(changes.map(({ server }) => server));
  return ["pull", ...source, ...servers, ...scope, ...acceptOf(changes)].join(" ");
}

function acceptOf(changes: readonly Change[]): readonly string[] {
  return acceptOptions(changes.filter(({ security, waiver }) => security && waiver === undefined));
}

/** Returns the differences between two contracts. There is nothing to fix, so there are no repairs. */
export function contentOfDiff(report: DiffReport, changes: readonly Change[]): ReportContent {
  const { before, after, compared } = report;
  const scope = `${count(compared.servers.length, "server")} and ${count(compared.tools, "tool")}`;
  return {
    ...NO_CONTENT,
    changes,
    notes: (report.diagnostics ?? []).map(findingOfNote),
    verified: compared.servers,
    work: `compared ${scope}, ${printable(before)} → ${printable(after)}`,
    clean: "No difference",
  };
}
