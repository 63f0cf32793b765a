import type { Change, ChangeClass } from "../contract/change.js";
import { findingId } from "../contract/finding-id.js";
import { describeChange, type Note } from "./describe-change.js";
import { describePlace } from "./describe-place.js";
import { count, formatNumber } from "./count.js";
import { countClasses, groupChanges, type ToolGroup } from "./group-changes.js";
import type { Layout, Paint } from "./paint.js";
import { printEvidence } from "./print-evidence.js";
import { printable } from "./printable.js";

/** A change as found, or as judged and explained. */
type ShownChange = Change & {
  readonly fails?: boolean;
  readonly foundClass?: ChangeClass;
  readonly explanation?: string;
};

const COLOUR_OF = {
  breaking: "red",
  dangerous: "yellow",
  unknown: "yellow",
  safe: "green",
} as const satisfies Record<ChangeClass, keyof Paint>;

/** How many changes of a server are shown; `--json` has them all, and the worst come first. */
const SHOWN = 500;

/** The changes of every server, each under its name and what they come to. */
export function printServerChanges(changes: readonly ShownChange[], layout: Layout): readonly string[] {
  return groupChanges(changes).flatMap(({ place, changes: those }) => [
    `${layout.paint.bold(printable(place, 160))}: ${count(those.length, "change")} (${countClasses(those)})`,
    ...printChanges(those, layout),
  ]);
}

/** The changes of one server: a heading for each tool, a line for each change, the worst first, then why it matters. */
export function printChanges(changes: readonly ShownChange[], layout: Layout): readonly string[] {
  const { paint } = layout;
  const tools = groupChanges(changes).flatMap((server) => server.tools);
  let left = SHOWN;
  const lines = tools.flatMap((group) => {
    const shown = group.changes.slice(0, left);
    left -= shown.length;
    return shown.length === 0 ? [] : printTool({ ...group, changes: shown }, layout);
  });
  const rest = changes.length - SHOWN;
  return [
    ...lines,
    ...(rest > 0 ? [paint.dim(`  … and ${formatNumber(rest)} more changes: "--json" lists them all`)] : []),
    ...printReasons(changes, paint),
  ];
}

function printTool({ tool, changes }: ToolGroup<ShownChange>, layout: Layout): readonly string[] {
  const { paint } = layout;
  const name = tool === undefined ? "(the server itself)" : printable(tool, 80);
  const [first, ...others] = changes;
  // A tool that came or went needs no heading: it is the change.
  if (first !== undefined && others.length === 0 && isWhole(first)) {
    const { sign, notes } = describeChange(first, layout.width);
    const head = `  ${paint[COLOUR_OF[first.class]](`${sign} ${name}`)} ${printClass(first, paint)}`;
    return [`${head} ${printRule(first, paint)}`, ...notes.map((note) => printNote(note, paint))];
  }
  return [`  ${paint.bold(name)}`, ...changes.flatMap((change) => printChange(change, layout))];
}

function isWhole({ rule }: Change): boolean {
  return rule === "tool-added" || rule === "tool-removed";
}

function printChange(change: ShownChange, { paint, width }: Layout): readonly string[] {
  const labels = `    ~ ${classesOf(change)}  ${describePlace(change.path)}: … → … [${suffixOf(change)}]`;
  const room = Math.max(24, Math.floor((width - labels.length) / 2));
  const { sign, place, before, after, notes } = describeChange(change, room);
  const values = [before, after].filter((value) => value !== undefined).join(" → ");
  const { after: text, marks } = change;
  const evidence =
    typeof text === "string" && marks !== undefined ? printEvidence(text, marks, { paint, width }) : [];
  const parts = [place, evidence.length > 0 ? "" : values].filter((part) => part !== "");
  return [
    `    ${sign} ${printClass(change, paint)}${parts.length === 0 ? "" : `  ${parts.join(": ")}`} ${printRule(change, paint)}`,
    ...evidence,
    ...notes.map((note) => printNote(note, paint)),
  ];
}

function printNote({ quote, text }: Note, paint: Paint): string {
  return `        ${quote === undefined ? "" : `${paint.cyan(quote)} `}${text}`;
}

function printClass(change: ShownChange, paint: Paint): string {
  const text = classesOf(change);
  return change.fails === false ? paint.dim(text) : paint[COLOUR_OF[change.class]](text);
}

function classesOf(change: Change): string {
  return change.security ? `${change.class}, security` : change.class;
}

function printRule(change: ShownChange, paint: Paint): string {
  return paint.dim(`[${suffixOf(change)}]`);
}

function suffixOf(change: ShownChange): string {
  const { rule, security, foundClass, fails, waiver } = change;
  return [
    security && waiver === undefined ? `${rule} ${findingId(change)}` : rule,
    ...(foundClass === undefined ? [] : [`found ${foundClass}`]),
    ...(waiver !== undefined ? ["waived"] : fails === false ? ["does not fail"] : []),
  ].join(", ");
}

/** What each rule means, once: ten changes of a kind need one explanation. */
function printReasons(changes: readonly ShownChange[], paint: Paint): readonly string[] {
  const reasons = new Map(
    changes.flatMap(({ rule, explanation }) => (explanation === undefined ? [] : [[rule, explanation]])),
  );
  return [...reasons].map(([rule, explanation]) => paint.dim(`  ${rule}: ${explanation}`));
}
