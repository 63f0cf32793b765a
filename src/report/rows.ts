/** What every format of a report shows: rows of findings by section, with their words and their places. */
import type { CallSite, ChangeClass } from "../core/change.js";
import { groupBy } from "../core/collections.js";
import type { DiagnosticCode } from "../core/diagnostic.js";
import type { Finding } from "../core/finding.js";
import { doesFail, isUnaccepted, NOT_VERIFIED, type Section } from "../core/findings.js";
import { getOwn } from "../core/json.js";
import { formatNumber, printable } from "../core/printable.js";
import { type ChangeWords, describeChanges, joinWords, type WordLimits } from "./describe-change.js";
import { describeSubject, nameSubject } from "./describe-edit.js";
import {
  describeCallSites,
  describeExcess,
  describeInFile,
  describeNotice,
  describeReading,
  describeUnwaiving,
  describeWaiver,
  joinNote,
  listNotesOfReading,
  type Note,
  subjectOfNote,
} from "./describe-findings.js";
import {
  type Fold,
  foldChanges,
  joinSubjects,
  nameOwner,
  type Owner,
  rulesOf,
  subjectsOf,
  worstFirst,
} from "./fold-changes.js";
import { count, firstOf, present } from "./layout.js";
import {
  locateFindings,
  type Location,
  type Locator,
  type LockedPlace,
  type ReportPlaces,
} from "./locate-findings.js";
import type { ReportContent } from "./report-content.js";

type Level = "error" | "warning" | "notice";

/** Findings with one cause, judged and worded. All texts but those of the findings are printable. */
export interface Row {
  readonly section: Section;
  readonly level: Level;
  /** Whether the check fails, or proves less, because of it. */
  readonly fails: boolean;
  /** Rules of drift, one of {@link OWN_RULES}, or the code of a note. */
  readonly rule: string;
  /** Absent for rows about a file. */
  readonly owner?: Owner | undefined;
  /** The name of the owner; empty without one. */
  readonly place: string;
  /** Tools, a place in a definition, or a file; empty for the server itself. */
  readonly subject: string;
  /** What was found; empty where the place says everything. */
  readonly message: string;
  /** What the rule means, in whole sentences; empty for notes. */
  readonly explanations: readonly string[];
  /** Further lines: the parts of a finding, stderr as quotations, hints. */
  readonly notes: readonly Note[];
  readonly location: Location | undefined;
  readonly findings: readonly [Finding, ...Finding[]];
}

/** Changes with one cause. */
export interface ChangeRow extends Row {
  readonly findings: Fold;
  readonly words: ChangeWords;
  /** The location of each change, in order. */
  readonly locations: readonly (Location | undefined)[];
  /** The affected places in the user's code. */
  readonly sites: readonly { readonly site: CallSite; readonly location: Location | undefined }[];
}

export type Rows = { readonly [S in Section]: readonly (S extends "changes" ? ChangeRow : Row)[] };

/** The title of each section in every format. */
export const TITLES: Readonly<Record<Section, string>> = {
  changes: "Changes",
  unverified: "Not verified",
  budget: "Over budget",
  records: "Cassettes",
  scripts: "Scripts",
  names: "Unknown names",
  hosts: "Hosts",
  files: "Generated files",
  waivers: "Waivers",
  notes: "Notes",
  php: "PHP",
};

/** The findings that are not changes, by their rule in SARIF. */
export const OWN_RULES = {
  "generated-file-stale": "A generated file differs from what the lock generates.",
  "generated-file-edited": "A generated file was edited by hand; the edits would be lost.",
  "over-token-budget": "A server's tools cost more tokens than the configuration allows.",
  "recorded-input-invalid": "The locked input schema refuses the arguments of a recorded call.",
  "recorded-output-invalid": "The locked output schema refuses a recorded answer.",
  "recorded-tool-missing": "The lock does not have the tool of recorded calls.",
  "recorded-entry-missing": "The lock does not have the prompt or resource of recorded requests.",
  "mention-unknown": "A file that agents read names a tool that the lock does not have.",
  "script-type-error": "A line of a saved script does not fit the tools.",
  "recorded-answer-outdated": "The server's answer no longer has the recorded shape.",
  "cassette-invalid": "A file of recorded calls cannot be read or is not used.",
  "not-verified": "A server or a file could not be verified.",
} as const;

interface RowOptions extends WordLimits {
  /** How many tools of a finding are named. */
  readonly named: number;
  /** Absent for formats without places. */
  readonly places?: ReportPlaces;
  /** Whether a finding with two rules has two rows. */
  readonly isByRule?: boolean;
  /** Whether PHP that was read without a note has a row. */
  readonly hasReadings?: boolean;
}

/** Returns the rows of a report by section, with the worst changes first; without options, no rows of changes. */
export function rowsOf(content: ReportContent, options?: RowOptions): Rows {
  const { doFilesFail, unverified, budget, hosts, notes } = content;
  const changes = options === undefined ? [] : worstFirst(content.changes);
  const locate = locateFindings(options?.places ?? {}, [
    ...changes,
    ...notes.map(placeInLock),
    ...[...unverified, ...budget].map(placeOfServer),
    ...hosts.map(placeInLock),
  ]);
  const rowsIn = (
    section: Exclude<Section, "changes">,
    describe: (finding: Finding) => RowWords,
  ): readonly Row[] =>
    content[section].map((finding) => toRow(section, [finding], describe(finding), doFilesFail));
  const inFile = (finding: Finding): RowWords => {
    const { file = "", line = 1, column = 1 } = finding;
    const subject = printable(`${file}:${line}:${column}`, 300);
    return { subject, message: describeInFile(finding), location: locate.line(file, line, column) };
  };
  return {
    changes:
      options === undefined
        ? []
        : foldChanges(changes, options.isByRule).map((fold) => rowOfChange(fold, options, locate)),
    unverified: rowsIn("unverified", (finding) => ({
      rule: NOT_VERIFIED,
      owner: ownerOf(finding),
      message: printable(finding.message ?? "", 400),
      notes: [
        ...(finding.facts?.stderr ?? []).map((line) => ({ quote: printable(line, 1_000), text: "" })),
        ...present(finding.hint).map((text) => ({ text: printable(text, 400) })),
      ],
      location:
        finding.file === undefined
          ? locate.value(placeOfServer(finding))
          : locate.line(finding.file, finding.line ?? 1, 1),
    })),
    budget: rowsIn("budget", (finding) => ({
      owner: ownerOf(finding),
      message: describeExcess(finding),
      location: locate.value(placeOfServer(finding)),
    })),
    records: rowsIn("records", inFile),
    scripts: rowsIn("scripts", inFile),
    names: rowsIn("names", inFile),
    hosts: groupHosts(hosts).map((group) => toRow("hosts", group, describeHost(group, locate), doFilesFail)),
    waivers: rowsIn("waivers", (finding) => ({
      owner: ownerOf(finding),
      message: describeNotice(finding),
      notes: [{ text: describeUnwaiving(finding) }],
      subject: nameSubject(finding),
    })),
    files: rowsIn("files", ({ file = "", message, hint, facts }) => ({
      subject: printable(file, 400),
      message: printable(present(facts?.state, message).join(": "), 400),
      notes: present(hint).map((text) => ({ text })),
      location: locate.generated(file),
    })),
    notes: rowsIn("notes", (finding) => ({
      owner: ownerOf(finding),
      subject: subjectOfNote(finding),
      message: printable(finding.message ?? "", 400),
      location: locate.value(placeInLock(finding)),
    })),
    php: rowsIn("php", (finding) => {
      const { php } = finding.facts ?? {};
      const notes = (php === undefined ? [] : listNotesOfReading(php)).map(({ text }) => ({ text }));
      return { owner: ownerOf(finding), message: php === undefined ? "" : describeReading(php), notes };
    }).filter((row) => options?.hasReadings === true || row.notes.length > 0),
  };
}

type RowWords = Partial<Pick<Row, "rule" | "owner" | "subject" | "message" | "notes" | "location">>;

function toRow(
  section: Section,
  findings: Row["findings"],
  { owner, ...described }: RowWords,
  doFilesFail: boolean,
): Row {
  const [first] = findings;
  const fails = doesFail(section, first, doFilesFail);
  return {
    section,
    level: fails ? "error" : mildLevelOf(section, first),
    fails,
    rule: first.rule,
    owner,
    place: owner === undefined ? "" : printable(nameOwner(owner), 160),
    subject: "",
    message: "",
    explanations: present(getOwn<string>(OWN_RULES, first.rule)),
    notes: [],
    location: undefined,
    findings,
    ...described,
  };
}

function mildLevelOf(section: Section, finding: Finding): Level {
  if (section === "notes") return LEVEL_OF_NOTE[finding.rule] ?? "notice";
  if (section === "php") return (finding.facts?.php?.refused.length ?? 0) > 0 ? "warning" : "notice";
  if (section === "waivers") return "warning";
  return isUnaccepted(finding) ? "warning" : "notice";
}

function ownerOf({ server, environment }: Finding): Owner | undefined {
  return server === undefined ? undefined : { server, environment };
}

function placeOfServer({ server = "" }: Finding): LockedPlace {
  return { server, path: "/serverInfo" };
}

function placeInLock({ server = "", tool, path, facts }: Finding): LockedPlace {
  return { server, tool: tool === "" ? undefined : tool, path: path ?? facts?.paths?.[0] ?? "" };
}

/** `warning`: something does not work. `notice`: all works, with less than the definition says. */
const LEVEL_OF_NOTE: Readonly<Record<string, Level>> = {
  TOOL_UNUSABLE: "warning",
  TOOL_DUPLICATE: "warning",
  CALL_UNSUPPORTED: "warning",
  KEYWORD_LOOSENED: "notice",
  SCHEMA_FALLBACK: "notice",
  DEFAULT_NOT_SENT: "notice",
  ENTRY_UNUSABLE: "warning",
  OBSERVATION_STALE: "notice",
  OUTPUT_UNUSED: "notice",
  SERVER_DEPRECATED: "warning",
  SERVER_NOISY: "warning",
  SERVER_VAGUE: "warning",
  SERVER_UNPINNED: "notice",
  POLICY_UNMATCHED: "warning",
} satisfies Record<DiagnosticCode, Level>;

const LEVEL_OF_CLASS = {
  breaking: "warning",
  dangerous: "warning",
  unknown: "warning",
  safe: "notice",
} as const satisfies Record<ChangeClass, Level>;

function rowOfChange(findings: Fold, { named, ...limits }: RowOptions, locate: Locator): ChangeRow {
  const [first] = findings;
  const words = describeChanges(findings, limits);
  const sites = findings.flatMap(({ callSites = [] }) => callSites);
  const locations = findings.map((change) => locate.value(change));
  const row = toRow(
    "changes",
    findings,
    {
      rule: rulesOf(findings),
      owner: first,
      subject: describeSubject(first) === undefined ? "" : joinSubjects(subjectsOf(findings), named),
      message: joinWords(words),
      notes: [...words.notes, ...describeCallSites(sites)],
      location: locations[0],
    },
    true,
  );
  return {
    ...row,
    level: row.fails ? "error" : first.waiver === undefined ? LEVEL_OF_CLASS[first.class] : "notice",
    findings,
    words,
    explanations: [...new Set(findings.flatMap(({ explanation }) => explanation ?? []))],
    locations,
    sites: [...new Map(sites.map((site) => [JSON.stringify(site), site])).values()].map((site) => ({
      site,
      location: locate.callSite(site),
    })),
  };
}

/** Each tool or list that a host refuses, and all tools of a server that it changes by one rule. */
function groupHosts(hosts: readonly Finding[]): readonly Row["findings"][] {
  const groups = groupBy(hosts, (finding) =>
    finding.facts?.effect === "altered" && finding.waiver === undefined
      ? JSON.stringify([finding.rule, finding.server])
      : JSON.stringify(finding),
  );
  return [...groups.values()];
}

function describeHost(group: Row["findings"], locate: Locator): RowWords {
  const [first, ...others] = group;
  const { server, message = "", hint = "", waiver, facts: { paths = [] } = {} } = first;
  const tools = group.flatMap(({ tool }) => (tool === undefined ? [] : printable(tool, 80)));
  const more = others.length === 0 ? "" : ` The same for ${count(others.length, "more tool")}.`;
  const waived = waiver === undefined ? "" : ` (${describeWaiver(waiver)})`;
  return {
    owner: ownerOf(first),
    subject: present(
      joinSubjects(tools, MOST_TOOLS),
      others.length === 0 && printable(paths.join(", "), 200),
    ).join(" "),
    message: `${printable(message, 600)}${more}${waived}`,
    notes: [{ text: `To avoid it: ${printable(hint, 300)}` }],
    location: server === undefined ? undefined : locate.value(placeInLock(first)),
  };
}

const MOST_TOOLS = 5;

/** A row on one line: its subject, and its words. */
export function joinRow({ section, place, subject, message, notes, rule }: Row): string {
  // The message of a waiver names its subject.
  const lead = section === "waivers" ? "" : present(place, subject).join(" ");
  const words = present(message, ...notes.map(joinNote), section === "notes" && `[${rule}]`);
  return present(lead, words.join(" ")).join(": ");
}

/** Groups notes of one kind by server: a large lock has hundreds of one kind. */
export function groupNotes(rows: readonly Row[]): readonly Row[] {
  const groups = groupBy(rows, ({ rule, owner }) => JSON.stringify([owner?.server, rule]));
  return [...groups.values()].map((group) => {
    const lines = group.map((row) => present(row.subject, row.message).join(": "));
    const [message = "", ...others] = firstOf(
      lines,
      MOST_NOTES,
      (rest) => `… and ${formatNumber(rest)} more`,
    );
    return { ...group[0], subject: "", message, notes: others.map((text) => ({ text })) };
  });
}

/** How many notes of a group are shown; `--json` has all of them. */
const MOST_NOTES = 20;
