/** What every format of a report shows: a row for each entry of each list, with its words and its place. */
import type { CallSite, ChangeClass } from "../core/change.js";
import { groupBy, omitUndefined } from "../core/collections.js";
import type { Diagnostic, DiagnosticCode } from "../core/diagnostic.js";
import type { JsonObject } from "../core/json.js";
import type { HostFinding } from "../core/findings.js";
import { isRefusal } from "../core/hosts/host.js";
import { formatNumber, printable } from "../core/printable.js";
import { type ChangeWords, describeChanges, joinWords, type WordLimits } from "./describe-change.js";
import { describeSubject } from "./describe-edit.js";
import {
  describeExcess,
  describeFileFinding,
  describeNotice,
  describeReading,
  describeWaiver,
  type FileFinding,
  isWaived,
  listNotesOfReading,
  type Note,
} from "./describe-findings.js";
import type { Findings, ReportedChange, ReportList } from "./findings.js";
import {
  foldChanges,
  type FoldedChange,
  joinToolNames,
  nameOwner,
  type Owner,
  rulesOf,
  toolsOf,
  worstFirst,
} from "./fold-changes.js";
import { count, firstOf, present } from "./layout.js";
import { subjectOfNote } from "./print-generate.js";
import {
  locateFindings,
  type Location,
  type Locator,
  type LockedPlace,
  type Places,
} from "./locate-findings.js";

type Level = "error" | "warning" | "notice";

/** An entry of a list of a report. Its texts are printable, except those of its owner. */
export interface Row {
  readonly level: Level;
  /** Rules of drift, one of {@link OWN_RULES}, or the code of a note. */
  readonly rule: string;
  /** Absent for rows about a file or a waiver. */
  readonly owner?: Owner | undefined;
  /** The name of the owner; empty without one. */
  readonly place: string;
  /** Tools, a place in a definition, or a file; empty for the server itself. */
  readonly subject: string;
  /** Empty where the list and the state say everything. */
  readonly message: string;
  /** Further lines: the parts of a finding, stderr as quotations, hints. */
  readonly notes: readonly Note[];
  readonly location: Location | undefined;
  /** The state of a file or a waiver, whose budget it is, or the rule about a list that proves nothing. */
  readonly state?: string | undefined;
  readonly column?: number | undefined;
  /** Distinguishes the row from others of its rule, whatever its line. */
  readonly identity?: JsonObject;
}

/** Changes with one cause. */
export interface ChangeRow extends Row, FoldedChange<ReportedChange> {
  readonly words: ChangeWords;
  readonly explanations: readonly string[];
  /** The location of each change, in order. */
  readonly locations: readonly (Location | undefined)[];
  /** The affected places in the user's code. */
  readonly sites: readonly { readonly site: CallSite; readonly location: Location | undefined }[];
}

export type Rows = { readonly [List in ReportList]: readonly (List extends "changes" ? ChangeRow : Row)[] };

/** What a format prints of each list of a report, in this order. Forgetting a list is an error of the compiler. */
export type Sections<Part> = Readonly<Record<ReportList, readonly Part[]>>;

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
  "cassette-invalid": "A file of recorded calls cannot be read.",
  "not-verified": "A server could not be verified.",
} as const;

interface RowOptions extends WordLimits {
  /** How many tools of a finding are named. */
  readonly named: number;
  /** Absent for formats without places. */
  readonly places?: Places;
  /** Whether a finding with two rules has two rows. */
  readonly isByRule?: boolean;
}

/** Returns the rows of a report by list, with the worst changes first; without options, no rows of changes. */
export function rowsOf(findings: Findings, options?: RowOptions): Rows {
  const { doFilesFail, diagnostics, unverified, overBudget, hosts } = findings;
  const changes = options === undefined ? [] : worstFirst(findings.changes);
  const level = doFilesFail ? "error" : "warning";
  const locate = locateFindings(options?.places ?? {}, [
    ...changes,
    ...diagnostics.map(placeOfNote),
    ...[...unverified, ...overBudget].map(placeOfServer),
    ...hosts.flatMap(placeOfHost),
  ]);
  const fileRow = (finding: FileFinding): Row => rowOfFile(finding, level, locate);
  return {
    changes:
      options === undefined
        ? []
        : foldChanges(changes, options.isByRule).map((finding) => rowOfChange(finding, options, locate)),
    unverified: unverified.map(({ rule, reason, hint, stderr = [], file, ...owner }) =>
      rowOf("error", "not-verified", {
        ...{ owner, state: rule, message: printable(reason, 400) },
        notes: [
          ...stderr.map((line) => ({ quote: printable(line, 1_000), text: "" })),
          ...present(hint).map((text) => ({ text: printable(text, 400) })),
        ],
        location: file === undefined ? locate.value(placeOfServer(owner)) : locate.line(file, 1, 1),
        identity: omitUndefined({ server: owner.server, environment: owner.environment, file }),
      }),
    ),
    overBudget: overBudget.map((excess) => {
      const { server, of, environment } = excess;
      return rowOf("error", "over-token-budget", {
        ...{ owner: excess, state: of, message: describeExcess(excess) },
        location: locate.value(placeOfServer(excess)),
        identity: omitUndefined({ server, of, environment }),
      });
    }),
    cassettes: findings.cassettes.map(fileRow),
    scripts: findings.scripts.map(fileRow),
    mentions: findings.mentions.map(fileRow),
    hosts: rowsOfHosts(hosts, level, locate),
    waivers: findings.waivers.map((notice) =>
      rowOf("warning", notice.waiver.rule, {
        ...{ owner: notice.waiver, state: notice.state, message: describeNotice(notice) },
        subject: describeSubject(notice.waiver) ?? "(the server itself)",
      }),
    ),
    edited: findings.edited.map((path) =>
      rowOf(level, "generated-file-edited", {
        ...{ subject: printable(path, 400), identity: { path } },
        location: locate.generated(path),
      }),
    ),
    stale: findings.stale.map(({ path, state, reason, hint }) =>
      rowOf(level, "generated-file-stale", {
        ...{ state, subject: printable(path, 400), message: printable(reason ?? "", 400) },
        notes: present(hint).map((text) => ({ text })),
        location: locate.generated(path),
        identity: omitUndefined({ path, state, reason }),
      }),
    ),
    diagnostics: diagnostics.map((note) =>
      rowOf(LEVEL_OF_NOTE[note.code], note.code, {
        ...{ owner: note, subject: subjectOfNote(note) },
        message: printable(note.message, 400),
        location: locate.value(placeOfNote(note)),
      }),
    ),
    php: findings.php.flatMap((reading) => {
      const notes = listNotesOfReading(reading);
      const row = { owner: reading, message: describeReading(reading), notes };
      return notes.length === 0 ? [] : [rowOf(reading.refused.length > 0 ? "warning" : "notice", "php", row)];
    }),
  };
}

function rowOf(level: Level, rule: string, { owner, ...row }: Partial<Row>): Row {
  const place = owner === undefined ? "" : printable(nameOwner(owner), 160);
  return { level, rule, owner, place, subject: "", message: "", notes: [], location: undefined, ...row };
}

function placeOfServer({ server }: Owner): LockedPlace {
  return { server, path: "/serverInfo" };
}

function placeOfNote({ server, tool, path }: Diagnostic): LockedPlace {
  return { server, tool: tool === "" ? undefined : tool, path };
}

/** `warning`: something does not work. `notice`: all works, with less than the definition says. */
const LEVEL_OF_NOTE = {
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
  SERVER_UNPINNED: "notice",
  POLICY_UNMATCHED: "warning",
} as const satisfies Record<DiagnosticCode, Level>;

const LEVEL_OF_CLASS = {
  breaking: "warning",
  dangerous: "warning",
  unknown: "warning",
  safe: "notice",
} as const satisfies Record<ChangeClass, Level>;

function rowOfChange(
  finding: FoldedChange<ReportedChange>,
  { named, ...limits }: RowOptions,
  locate: Locator,
): ChangeRow {
  const { changes } = finding;
  const [first] = changes;
  const level = first.fails ? "error" : first.waiver === undefined ? LEVEL_OF_CLASS[first.class] : "notice";
  const words = describeChanges(changes, limits);
  const sites = changes.flatMap(({ callSites = [] }) => callSites);
  const locations = changes.map((change) => locate.value(change));
  return {
    ...rowOf(level, rulesOf(finding), {
      ...{ owner: first, message: joinWords(words), notes: words.notes, location: locations[0] },
      subject: describeSubject(first) === undefined ? "" : joinToolNames(toolsOf(finding), named),
    }),
    ...finding,
    words,
    explanations: [...new Set(changes.map(({ explanation }) => explanation))],
    locations,
    sites: [...new Map(sites.map((site) => [JSON.stringify(site), site])).values()].map((site) => ({
      site,
      location: locate.callSite(site),
    })),
  };
}

function rowOfFile(finding: FileFinding, level: Level, locate: Locator): Row {
  const { rule, path, line, column, message } = finding;
  return rowOf(isWaived(finding) ? "notice" : level, rule, {
    ...{ subject: printable(`${path}:${line}`, 300), column, message: describeFileFinding(finding) },
    location: locate.line(path, line, column),
    identity: { path, message },
  });
}

/** A row for each tool or list that a host refuses, and one for all tools of a server that it changes by one rule. */
function rowsOfHosts(hosts: readonly HostFinding[], level: Level, locate: Locator): readonly Row[] {
  const groups = groupBy(hosts, (finding) =>
    finding.effect === "altered" && finding.waiver === undefined
      ? JSON.stringify([finding.rule, finding.server])
      : JSON.stringify(finding),
  );
  return [...groups.values()].map((findings) => {
    const [first, ...others] = findings;
    const { rule, host, server, tool, paths, message, fix, waiver } = first;
    const tools = findings.flatMap((finding) => finding.tool ?? []);
    const [place] = findings.flatMap(placeOfHost);
    const more = others.length === 0 ? "" : ` The same for ${count(others.length, "more tool")}.`;
    const waived = waiver === undefined ? "" : ` (${describeWaiver(waiver)})`;
    return rowOf(isRefusal(first) ? level : "notice", rule, {
      owner: server === undefined ? undefined : { server },
      state: host,
      subject: present(
        joinToolNames(tools, MOST_TOOLS),
        others.length === 0 && printable(paths.join(", "), 200),
      ).join(" "),
      message: `${printable(message, 600)}${more}${waived}`,
      notes: [{ text: `To avoid it: ${printable(fix, 300)}` }],
      location: place && locate.value(place),
      identity: omitUndefined({ rule, server, tool: others.length === 0 ? tool : undefined }),
    });
  });
}

/** How many tools of a row about a host are named. */
const MOST_TOOLS = 5;

function placeOfHost({ server, tool, paths }: HostFinding): readonly LockedPlace[] {
  return server === undefined ? [] : [{ server, tool, path: paths[0] ?? "" }];
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
