import { describeCallSites, joinNote } from "./describe-findings.js";
import { isClean, type ReportContent, summaryOf } from "./report-content.js";
import { nameClass } from "./fold-changes.js";
import { count, present } from "./layout.js";
import type { ReportPlaces } from "./locate-findings.js";
import { type ChangeRow, groupNotes, type Row, rowsOf } from "./rows.js";

interface Annotation extends Pick<Row, "level" | "location"> {
  readonly title: string;
  readonly lines: readonly string[];
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
  const { changes, unverified, notes, ...others } = rows;
  const ofChanges = changes.map(annotateChange);
  const annotations = [
    ...unverified.map(annotate),
    ...ofChanges.flatMap((all) => all.slice(0, 1)),
    ...Object.values(others).flat().map(annotate),
    // One annotation for each kind of note of a server, since GitHub shows few.
    ...groupNotes(notes).map(annotate),
    // Last, so that GitHub's limit does not hide a finding that has only one annotation.
    ...ofChanges.flatMap((all) => all.slice(1)),
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

function annotate({ place, subject, rule, level, explanations, message, notes, location }: Row): Annotation {
  return {
    level,
    title: present(present(place, subject).join(" "), rule).join(": "),
    lines: [...explanations, ...present(message), ...notes.map(joinNote)],
    location,
  };
}

/** Annotates every affected call site of a finding, or else its line in the lock. */
function annotateChange(row: ChangeRow): readonly Annotation[] {
  const { explanations, message, findings, location } = row;
  const annotation = annotate(row);
  const title = `${annotation.title} (${nameClass(findings[0])})`;
  const byLine = new Map(row.sites.map((site) => [`${site.site.file}:${site.site.line}`, site]));
  const [first, ...others] = byLine.values();
  return [
    { ...annotation, title, location: first?.location ?? location },
    ...others.map(({ site, location: at }) => ({
      ...annotation,
      title,
      location: at ?? location,
      lines: [...describeCallSites([site]).map(joinNote), ...explanations, ...present(message)],
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
