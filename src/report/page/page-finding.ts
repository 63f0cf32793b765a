import { type CallSite, type Change, NAME_TAKEN } from "../../core/change.js";
import type { ConsumerVerdict } from "../../core/diagnostic.js";
import type { JsonValue } from "../../core/json.js";
import { explain } from "../../drift/rules.js";
import { describeConfidence, describeTaken, describeVerdictOn } from "../describe-change.js";
import { describeEdit } from "../describe-edit.js";
import { type AnyChange, foldChanges, type FoldedChange, toolsOf, worstFirst } from "../fold-changes.js";
import { present } from "../layout.js";
import { showWitness } from "../show-witness.js";
import { describePhp, describeWaiver } from "../describe-findings.js";
import type { PageEdit, PageFinding, PagePlace } from "./page-data.js";

/** How many changes of a finding, and places of a change, are shown; `--json` has all of them. */
const MOST_EDITS = 24;
const MOST_PLACES = 200;
/** The longest text of a value. */
const LONGEST_VALUE = 6_000;

/** Returns changes as findings, worst first. A change without a verdict does not fail. */
export function findingsOf(changes: readonly AnyChange[]): readonly PageFinding[] {
  return foldChanges(worstFirst(changes)).map(findingOf);
}

function findingOf(finding: FoldedChange<AnyChange>): PageFinding {
  const { changes } = finding;
  const [first] = changes;
  const consumers = changes.flatMap((change) => change.consumers ?? []);
  const hasConsumers = changes.some((change) => change.consumers !== undefined);
  const shown = changes.slice(0, MOST_EDITS);
  const sites = changes.flatMap(({ callSites = [] }) => callSites);
  return {
    class: first.class,
    security: first.security,
    fails: first.fails === true,
    server: first.server,
    environment: first.environment,
    tools: toolsOf(finding).filter((tool) => tool !== undefined),
    rules: [...new Set(changes.map(({ rule }) => rule))],
    says: [explain(first), ...guessOf(changes)].join(" "),
    edits: shown.map(editOf),
    left: Math.max(0, changes.length - MOST_EDITS),
    witness: witnessOf(shown),
    notes: notesOf(changes),
    php: distinct(changes.flatMap(describePhp).map(({ quote = "", text }) => `${quote} ${text}`)),
    callSites: placesOf(sites.filter(({ effect }) => effect !== "names-it")),
    mentions: placesOf(sites.filter(({ effect }) => effect === "names-it")),
    consumers: hasConsumers ? distinctVerdicts(consumers) : undefined,
  };
}

function editOf(change: Change): PageEdit {
  const { tool } = change;
  const { place, path = change.path, before, after, areWords } = describeEdit(change);
  if (change.rule === NAME_TAKEN) return { tool, place: "", path, after: describeTaken(change) };
  // Both texts of an edit are prose, or both are JSON.
  const isProse =
    areWords === true || [before, after].some((value) => typeof value === "string" && /\s/.test(value));
  return {
    tool,
    place,
    path,
    renamedFrom:
      change.rule.endsWith("-property-renamed") && typeof change.before === "string"
        ? change.before
        : undefined,
    before: before === undefined ? undefined : textOf(before, isProse),
    after: after === undefined ? undefined : textOf(after, isProse),
  };
}

/** JSON, on several lines if it is long; or unquoted prose. */
function textOf(value: JsonValue, isProse = false): string {
  const isText = isProse && typeof value === "string";
  const text = isText ? value : JSON.stringify(value, undefined, isShort(value) ? undefined : 2);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

function isShort(value: JsonValue): boolean {
  return JSON.stringify(value).length < 60;
}

/** One instance is enough to show what breaks. */
function witnessOf(changes: readonly Change[]): PageFinding["witness"] {
  const edit = changes.findIndex(({ witness }) => witness !== undefined);
  const change = changes[edit];
  if (change?.witness === undefined) return undefined;
  return {
    edit,
    json:
      JSON.stringify(change.witness).length > LONGEST_VALUE
        ? showWitness(change.witness, change.witnessAt ?? "", LONGEST_VALUE)
        : textOf(change.witness),
    says: describeVerdictOn(change),
  };
}

function notesOf(changes: readonly AnyChange[]): readonly string[] {
  const [{ waiver, foundClass } = {}] = changes;
  return distinct(
    present(
      ...changes.map((change) => describeEdit(change).meaning),
      ...changes.map(({ reason }) => reason),
      foundClass && `found ${foundClass}`,
      waiver && describeWaiver(waiver),
    ),
  );
}

/** The lowest confidence of a guessed rename. */
function guessOf(changes: readonly Change[]): readonly string[] {
  const all = changes.flatMap(({ confidence }) => confidence ?? []);
  return all.length === 0 ? [] : [`The rename is a guess: ${describeConfidence(Math.min(...all))}.`];
}

function placesOf(sites: readonly CallSite[]): readonly PagePlace[] {
  return sites.slice(0, MOST_PLACES).map(({ file, line, column, says, effect }) => ({
    place: `${file}:${line}:${column}`,
    says,
    effect: EFFECTS[effect],
  }));
}

const EFFECTS: Readonly<Record<CallSite["effect"], string>> = {
  "stops-compiling": "stops compiling",
  unchecked: "not type-checked",
  rejected: "rejected by the server",
  "may-be-rejected": "may be rejected",
  "names-it": "read by agents",
};

function distinctVerdicts(verdicts: readonly ConsumerVerdict[]): readonly ConsumerVerdict[] {
  return [...new Map(verdicts.map((verdict) => [JSON.stringify(verdict), verdict])).values()];
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
