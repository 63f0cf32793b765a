import { describeCallSites, joinNote } from "./describe-findings.js";
import { isClean, type ReportContent, summaryOf } from "./report-content.js";
import { nameClass } from "./fold-changes.js";
import { count, present } from "./layout.js";
import type { Location, ReportPlaces } from "./locate-findings.js";
import {
  type ChangeRow,
  groupNotes,
  type Row,
  type Rows,
  rowsOf,
  type Sections,
  splitFiles,
  stateOf,
} from "./rows.js";

interface Annotation {
  readonly level: Row["level"];
  readonly title: string;
  readonly lines: readonly string[];
  readonly location: Location | undefined;
}

/** GitHub shows this many annotations per level and step. The last one counts those left out. */
const SHOWN = 10;

/**
 * Prints workflow commands, which GitHub Actions shows at the changed lines and at affected call sites: failing
 * changes as errors, others as warnings and notices. See "Workflow commands for GitHub Actions" in its documentation;
 * the escapes are those of its toolkit.
 */
export function printGithub(content: ReportContent, places: ReportPlaces): readonly string[] {
  const rows = rowsOf(content, { value: 160, line: 320, named: 5, places });
  const annotations = [
    ...Object.values(sectionsOf(rows)).flat(),
    // Last, so that GitHub's limit does not hide a finding that has only one annotation.
    ...rows.changes.flatMap((row) => annotateChange(row).slice(1)),
  ];
  const levels = (["error", "warning", "notice"] as const).map((level) => {
    const those = annotations.filter((annotation) => annotation.level === level);
    // The last notice is the total.
    const shown = those.slice(0, level === "notice" ? SHOWN - 1 : SHOWN);
    return { level, shown, rest: those.length - shown.length };
  });
  const rest = levels.flatMap(({ level, rest: more }) => (more > 0 ? [count(more, `more ${level}`)] : []));
  const shown = levels.flatMap((level) => level.shown);
  if (isClean(content) && rest.length === 0) return shown.map(printAnnotation);
  const sum: Annotation = {
    level: "notice",
    title: "mcp-codegen",
    lines: present(
      `${summaryOf(content)}.`,
      rest.length > 0 &&
        `GitHub shows ${SHOWN} annotations of a kind: ${rest.join(" and ")} in the summary of this step.`,
      content.note,
      ...content.repairs.map(({ command, does }) => `${does}: ${command}`),
    ),
    location: undefined,
  };
  return [...shown, sum].map(printAnnotation);
}

function sectionsOf(rows: Rows): Sections<Annotation> {
  const { edited, stale } = splitFiles(rows);
  return {
    unverified: annotate(rows.unverified, ({ place }) => `${place}: not verified`),
    budget: annotate(rows.budget, ({ place }) => `${place}: over the token budget`),
    records: annotate(rows.records, ({ rule }) => `Cassette (${rule})`),
    scripts: annotate(rows.scripts, () => "Script"),
    names: annotate(rows.names, ({ rule }) => `Unknown name (${rule})`),
    hosts: annotate(
      rows.hosts,
      ({ place, subject, rule }) => `${present(place, subject).join(" ")} (${rule})`,
    ),
    changes: rows.changes.flatMap((row) => annotateChange(row).slice(0, 1)),
    waivers: annotate(rows.waivers, (row) => `Waiver (${stateOf(row)})`),
    files: [
      ...annotate(edited, () => "Edited by hand", "This file is generated; the edits would be lost."),
      ...annotate(
        stale,
        (row) => `Out of date (${stateOf(row)})`,
        "This file differs from what the lock generates.",
      ),
    ],
    // One annotation for each kind of note of a server, since GitHub shows few.
    notes: annotate(groupNotes(rows.notes), ({ place, rule }) => `${place}: ${rule}`),
    php: annotate(rows.php, ({ place }) => `${place}: PHP`),
  };
}

function annotate(
  rows: readonly Row[],
  titleOf: (row: Row) => string,
  otherwise = "",
): readonly Annotation[] {
  return rows.map((row) => ({
    level: row.level,
    title: titleOf(row),
    lines: [row.message === "" ? otherwise : row.message, ...row.notes.map(joinNote)],
    location: row.location,
  }));
}

/** Annotates every affected call site of a finding, or else its line in the lock. */
function annotateChange(row: ChangeRow): readonly Annotation[] {
  const { level, place, subject, message, notes, explanations, findings, location } = row;
  const title = `${present(place, subject).join(" ")}: ${row.rule} (${nameClass(findings[0])})`;
  const lines = [...explanations, ...present(message)];
  const byLine = new Map(row.sites.map((site) => [`${site.site.file}:${site.site.line}`, site]));
  const [first, ...others] = byLine.values();
  return [
    { level, title, lines: [...lines, ...notes.map(joinNote)], location: first?.location ?? location },
    ...others.map(({ site, location: at }) => ({
      level,
      title,
      location: at ?? location,
      lines: [...describeCallSites([site]).map(joinNote), ...lines],
    })),
  ];
}

function printAnnotation({ level, title, lines, location }: Annotation): string {
  const properties = present(
    location && `file=${escapeProperty(location.path)}`,
    location && `line=${location.region.startLine}`,
    `title=${escapeProperty(title)}`,
  );
  return `::${level} ${properties.join(",")}::${escapeData(lines.join("\n"))}`;
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
