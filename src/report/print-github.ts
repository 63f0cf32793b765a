import type { ChangeClass } from "../contract/change.js";
import { describeChange } from "./describe-change.js";
import { describeExcess } from "./describe-excess.js";
import type { Findings, ReportedChange } from "./findings.js";
import { isClean } from "./findings.js";
import { placeOf, worstFirst } from "./group-changes.js";
import { locateChanges, locateFile, locateServer, type Location, type Places } from "./locate-findings.js";
import { summaryOf } from "./print-findings.js";
import { describeNotice } from "./print-waivers.js";
import { printable } from "./printable.js";

type Level = "error" | "warning" | "notice";

interface Annotation {
  readonly level: Level;
  readonly title: string;
  readonly message: string;
  readonly location: Location | undefined;
}

/** GitHub shows this many annotations of a level for one step, so more of them would only fill the log. */
const SHOWN = 10;

/**
 * Workflow commands that GitHub Actions shows beside the changed lines: what fails as errors, the rest as warnings and
 * notices. See "Workflow commands for GitHub Actions" in its documentation; the escapes are those of its toolkit.
 */
export function printGithub(findings: Findings, places: Places): readonly string[] {
  const annotations = annotate(findings, places);
  const shown = (["error", "warning", "notice"] as const).flatMap((level) =>
    annotations.filter((annotation) => annotation.level === level).slice(0, SHOWN),
  );
  const sum: readonly Annotation[] = isClean(findings)
    ? []
    : [
        {
          level: "notice",
          title: "mcp-codegen",
          message: [
            `${summaryOf(findings)}.`,
            ...(findings.note === undefined ? [] : [findings.note]),
            ...findings.repairs.map(({ command, does }) => `${does}: ${command}`),
          ].join("\n"),
          location: undefined,
        },
      ];
  return [...shown, ...sum].map(printAnnotation);
}

function annotate(findings: Findings, places: Places): readonly Annotation[] {
  const fileLevel = findings.doFilesFail ? "error" : "warning";
  const changes = worstFirst(findings.changes);
  const locations = locateChanges(changes, places);
  return [
    ...findings.unverified.map(({ server, environment, reason, hint, stderr = [] }): Annotation => ({
      level: "error",
      title: `${printable(placeOf({ server, environment }), 160)}: not verified`,
      message: [reason, ...stderr, ...(hint === undefined ? [] : [hint])]
        .map((line) => printable(line, 400))
        .join("\n"),
      location: locateServer(server, places),
    })),
    ...(findings.overBudget ?? []).map((excess): Annotation => ({
      level: "error",
      title: `${printable(placeOf(excess), 160)}: over the token budget`,
      message: describeExcess(excess),
      location: locateServer(excess.server, places),
    })),
    ...changes.map((change, index) => annotateChange(change, locations[index])),
    ...(findings.waivers ?? []).map((notice): Annotation => ({
      level: "warning",
      title: `Waiver (${notice.state})`,
      message: describeNotice(notice),
      location: undefined,
    })),
    ...findings.edited.map((path): Annotation => ({
      level: fileLevel,
      title: "Edited by hand",
      message: "This file is generated, and what was edited would be lost.",
      location: locateFile(path, places),
    })),
    ...findings.stale.map(({ path, state, reason, hint }): Annotation => ({
      level: fileLevel,
      title: `Out of date (${state})`,
      message: [
        reason === undefined ? "This file is not what the lock gives." : printable(reason, 400),
        ...(hint === undefined ? [] : [hint]),
      ].join("\n"),
      location: locateFile(path, places),
    })),
  ];
}

const LEVEL_OF: Readonly<Record<ChangeClass, Level>> = {
  breaking: "warning",
  dangerous: "warning",
  unknown: "warning",
  safe: "notice",
};

function annotateChange(change: ReportedChange, location: Location | undefined): Annotation {
  const { place, before, after, notes } = describeChange(change, 160);
  const values = [before, after].filter((value) => value !== undefined).join(" → ");
  const subject = [
    printable(placeOf(change), 160),
    ...(change.tool === undefined ? [] : [printable(change.tool, 80)]),
  ].join(" ");
  return {
    level: change.fails ? "error" : LEVEL_OF[change.class],
    title: `${subject}: ${change.rule} (${change.class}${change.security ? ", security" : ""})`,
    message: [
      change.explanation,
      ...[[place, values].filter((part) => part !== "").join(": ")].filter((line) => line !== ""),
      ...notes.map(({ quote, text }) => (quote === undefined ? text : `${quote} ${text}`)),
    ].join("\n"),
    location,
  };
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
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
