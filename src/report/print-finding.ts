import { canonicalJson } from "../contract/canonical-json.js";
import { type Change, findingId } from "../contract/change.js";
import { explain } from "../drift/explain.js";
import { count } from "./count.js";
import { describePlace } from "./describe-place.js";
import type { Layout } from "./paint.js";
import { printEvidence } from "./print-evidence.js";
import { printable } from "../contract/printable.js";

/** How many tools with the same finding are named. */
const NAMED = 20;

/** Groups findings that are accepted together: same rule, same server, same evidence. */
export function groupFindings(findings: readonly Change[]): readonly (readonly Change[])[] {
  const groups = new Map<string, Change[]>();
  for (const finding of findings) {
    const { rule, server, before = null, after = null } = finding;
    const key = canonicalJson([rule, server, before, after]);
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  return [...groups.values()];
}

/**
 * Prints a security finding for the person who decides about it: the rule, every place, and the complete evidence.
 */
export function printFinding(findings: readonly Change[], layout: Layout): readonly string[] {
  const [first] = findings;
  return [
    ...printFindingPlaces(findings, layout),
    ...(first?.reason === undefined ? [] : [layout.paint.dim(`    ${printable(first.reason, 400)}`)]),
    ...(first === undefined ? [] : printValues(first, layout)),
  ];
}

/** As {@link printFinding}, without the evidence, for reports that have shown it. */
export function printFindingPlaces(findings: readonly Change[], { paint }: Layout): readonly string[] {
  const [first] = findings;
  if (first === undefined) return [];
  const rest = findings.length - NAMED;
  return [
    `  ${paint.yellow(`${first.class}, security`)}  ${paint.bold(first.rule)}`,
    ...findings
      .slice(0, NAMED)
      .map((finding) => `  ${printPlace(finding)} ${paint.dim(`[${findingId(finding)}]`)}`),
    ...(rest > 0 ? [`  … and ${count(rest, "more tool")}`] : []),
    paint.dim(`    ${explain(first)}`),
  ];
}

function printPlace({ server, tool, path }: Change): string {
  const owner = tool === undefined ? "the server itself" : printable(tool, 80);
  const place = describePlace(path);
  return [`${printable(server, 80)}:`, owner, ...(place === "" ? [] : [`at ${place}`])].join(" ");
}

function printValues({ rule, before, after, marks = [] }: Change, layout: Layout): readonly string[] {
  if (typeof after === "string" && marks.length > 0) {
    const hidden = rule === "poison-tag-characters" ? readTags(after) : "";
    return [
      ...printEvidence(after, marks, layout),
      ...(hidden === "" ? [] : ["    The tag characters spell:", ...printEvidence(hidden, [], layout)]),
    ];
  }
  return [
    ...(before === undefined ? [] : ["    before:", ...printEvidence(JSON.stringify(before), [], layout)]),
    ...(after === undefined ? [] : ["    now:", ...printEvidence(JSON.stringify(after), [], layout)]),
  ];
}

/** Decodes tag characters to the ASCII that they represent. */
function readTags(text: string): string {
  return Array.from(text.matchAll(/[\u{e0020}-\u{e007e}]/gu), ([tag]) =>
    String.fromCodePoint((tag.codePointAt(0) ?? 0xe0020) - 0xe0000),
  ).join("");
}
