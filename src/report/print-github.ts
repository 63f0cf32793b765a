import { subjectOf } from "./describe-place.js";
import type { CallSite, ChangeClass } from "../contract/change.js";
import { count } from "./layout.js";
import { describeChanges, joinNote, joinWords } from "./describe-change.js";
import {
  describeFileFinding,
  describeCallSites,
  describeExcess,
  describeNotice,
  isWaived,
} from "./print-sections.js";
import { type Findings, isClean, type ReportedChange } from "./findings.js";
import { foldChanges, rulesOf, type FoldedChange } from "./fold-changes.js";
import { nameTools, placeOf, toolsOf, worstFirst } from "./group-changes.js";
import {
  locateCallSite,
  locateCassette,
  locateChanges,
  locateFile,
  locateNotes,
  locateServer,
  locateUnverified,
  type Location,
  type Places,
} from "./locate-findings.js";
import { describeNotes, groupNotes, levelOfNote } from "./notes.js";
import { summaryOf } from "./print-findings.js";
import { printable } from "../contract/printable.js";

type Level = "error" | "warning" | "notice";

interface Annotation {
  readonly level: Level;
  readonly title: string;
  readonly message: string;
  readonly location: Location | undefined;
}

/** GitHub shows this many annotations per level and step. The last one counts those left out. */
const SHOWN = 10;

const LEVELS = ["error", "warning", "notice"] as const satisfies readonly Level[];

/**
 * Prints workflow commands, which GitHub Actions shows at the changed lines and at affected call sites: failing
 * changes as errors, others as warnings and notices. See "Workflow commands for GitHub Actions" in its documentation;
 * the escapes are those of its toolkit.
 */
export function printGithub(findings: Findings, places: Places): readonly string[] {
  const annotations = annotate(findings, places);
  const levels = LEVELS.map((level) => {
    const those = annotations.filter((annotation) => annotation.level === level);
    // The last notice is the total.
    const shown = those.slice(0, level === "notice" ? SHOWN - 1 : SHOWN);
    return { level, shown, rest: those.length - shown.length };
  });
  const rest = levels.flatMap(({ level, rest: more }) => (more > 0 ? [count(more, `more ${level}`)] : []));
  const shown = levels.flatMap((level) => level.shown);
  if (isClean(findings) && rest.length === 0) return shown.map(printAnnotation);
  const sum: Annotation = {
    level: "notice",
    title: "mcp-codegen",
    message: [
      `${isClean(findings) ? `${findings.clean}: ${findings.work}` : summaryOf(findings)}.`,
      ...(rest.length === 0
        ? []
        : [
            `GitHub shows ${SHOWN} annotations of a kind: ${rest.join(" and ")} in the summary of this step.`,
          ]),
      ...(findings.note === undefined ? [] : [findings.note]),
      ...findings.repairs.map(({ command, does }) => `${does}: ${command}`),
    ].join("\n"),
    location: undefined,
  };
  return [...shown, sum].map(printAnnotation);
}

function annotate(findings: Findings, places: Places): readonly Annotation[] {
  const fileLevel = findings.doFilesFail ? "error" : "warning";
  const found = annotateFindings(findings.changes, places);
  return [
    ...findings.unverified.map(({ server, environment, reason, hint, stderr = [], file }): Annotation => ({
      level: "error",
      title: `${printable(placeOf({ server, environment }), 160)}: not verified`,
      message: [reason, ...stderr, ...(hint === undefined ? [] : [hint])]
        .map((line) => printable(line, 400))
        .join("\n"),
      location: locateUnverified({ server, file }, places),
    })),
    ...(findings.overBudget ?? []).map((excess): Annotation => ({
      level: "error",
      title: `${printable(placeOf(excess), 160)}: over the token budget`,
      message: describeExcess(excess),
      location: locateServer(excess.server, places),
    })),
    ...[...(findings.cassettes ?? []), ...(findings.mentions ?? [])].map((finding): Annotation => ({
      level: isWaived(finding) ? "notice" : fileLevel,
      title: `${finding.rule === "mention-unknown" ? "Unknown name" : "Cassette"} (${finding.rule})`,
      message: describeFileFinding(finding),
      location: locateCassette(finding, places),
    })),
    ...found.map(([first]) => first),
    ...(findings.waivers ?? []).map((notice): Annotation => ({
      level: "warning",
      title: `Waiver (${notice.state})`,
      message: describeNotice(notice),
      location: undefined,
    })),
    ...findings.edited.map((path): Annotation => ({
      level: fileLevel,
      title: "Edited by hand",
      message: "This file is generated; the edits would be lost.",
      location: locateFile(path, places),
    })),
    ...findings.stale.map(({ path, state, reason, hint }): Annotation => ({
      level: fileLevel,
      title: `Out of date (${state})`,
      message: [
        reason === undefined ? "This file differs from what the lock generates." : printable(reason, 400),
        ...(hint === undefined ? [] : [hint]),
      ].join("\n"),
      location: locateFile(path, places),
    })),
    ...annotateNotes(findings.diagnostics, places),
    // Last, so that GitHub's limit does not hide a finding that has only one annotation.
    ...found.flatMap(([, ...others]) => others),
  ];
}

/** One annotation for each kind of note of a server or consumer, since GitHub shows few. */
function annotateNotes(diagnostics: Findings["diagnostics"], places: Places): readonly Annotation[] {
  const groups = groupNotes(diagnostics);
  const locations = locateNotes(
    groups.map(([first]) => first),
    places,
  );
  return groups.map((notes, index): Annotation => ({
    level: levelOfNote(notes[0]),
    title: `${printable(notes[0].server, 160)}: ${notes[0].code}`,
    message: describeNotes(notes).join("\n"),
    location: locations[index],
  }));
}

const LEVEL_OF: Readonly<Record<ChangeClass, Level>> = {
  breaking: "warning",
  dangerous: "warning",
  unknown: "warning",
  safe: "notice",
};

type Annotations = readonly [Annotation, ...Annotation[]];

/** Annotates every affected call site of each finding, or else its line in the lock. */
function annotateFindings(changes: readonly ReportedChange[], places: Places): readonly Annotations[] {
  const folded = foldChanges(worstFirst(changes));
  const locations = locateChanges(
    folded.map(({ changes: [first] }) => first),
    places,
  );
  return folded.map((finding, index) => annotateFinding(finding, locations[index], places));
}

function annotateFinding(
  finding: FoldedChange<ReportedChange>,
  location: Location | undefined,
  places: Places,
): Annotations {
  const { changes } = finding;
  const [first] = changes;
  const words = describeChanges(changes, { value: 160, line: 320 });
  const what = joinWords(words);
  const tools = subjectOf(first) === undefined ? "" : nameTools(toolsOf(finding), 5);
  const annotation: Annotation = {
    level: first.fails ? "error" : first.waiver === undefined ? LEVEL_OF[first.class] : "notice",
    title: `${[printable(placeOf(first), 160), ...(tools === "" ? [] : [tools])].join(" ")}: ${rulesOf(finding)} (${first.class}${first.security ? ", security" : ""})`,
    message: [
      ...new Set(changes.map(({ explanation }) => explanation)),
      ...(what === "" ? [] : [what]),
      ...words.notes.map(joinNote),
    ].join("\n"),
    location,
  };
  const [site, ...others] = distinctSites(changes);
  if (site === undefined) return [annotation];
  return [
    { ...annotation, location: locateCallSite(site, places) ?? location },
    ...others.map((other): Annotation => ({
      ...annotation,
      message: [
        describeCallSites([other]).map(joinNote).join("\n"),
        ...new Set(changes.map(({ explanation }) => explanation)),
        ...(what === "" ? [] : [what]),
      ].join("\n"),
      location: locateCallSite(other, places) ?? location,
    })),
  ];
}

function distinctSites(changes: readonly ReportedChange[]): readonly CallSite[] {
  const sites = changes.flatMap(({ callSites = [] }) => callSites);
  return [...new Map(sites.map((site) => [`${site.file}:${site.line}`, site])).values()];
}

function printAnnotation({ level, title, message, location }: Annotation): string {
  const properties = [
    ...(location === undefined
      ? []
      : [`file=${escapeProperty(location.path)}`, `line=${location.region.startLine}`]),
    `title=${escapeProperty(title)}`,
  ];
  return `::${level} ${properties.join(",")}::${escapeData(message)}`;
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  // UTF-8 cannot encode lone surrogates.
  return escapeData(text)
    .replaceAll(":", "%3A")
    .replaceAll(",", "%2C")
    .replace(/\p{Cs}/gu, "\ufffd");
}
