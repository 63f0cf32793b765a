import { canonicalJson, findOwn, type JsonValue } from "../core/json.js";
import { isSameJson } from "../core/json-pointer.js";
import { type Change, NAME_TAKEN } from "../core/change.js";
import { groupBy } from "../core/collections.js";
import { contrast, showWitness } from "./show-witness.js";
import { count, firstOf, joinFirst, present } from "./layout.js";
import { describeEdit, describeMeaning, describePointer, type ShownEdit } from "./describe-edit.js";
import { describePhp, describeWaiver, type Note } from "./describe-findings.js";
import { areLimits, isSameEdit, siteOf } from "./fold-changes.js";
import { formatNumber, printable } from "../core/printable.js";

/** The words for one finding. Each format joins them in its own way. All parts are printable and on one line. */
export interface ChangeWords extends ValueWords {
  readonly sign: "+" | "-" | "~";
  /** A sentence that replaces place and values. */
  readonly says?: string | undefined;
  /** Where the change is; empty for the tool or the server itself, and where the notes name it. */
  readonly place: string;
  /** Further lines: the single changes, the reason, the counterexample. */
  readonly notes: readonly Note[];
}

/** Approximate maximum number of characters for the parts of a finding. */
export interface WordLimits {
  /** For each value. */
  readonly value: number;
  /** For a line of a note. */
  readonly line: number;
  /** How many places are named where the same edit was made in several. Default: 3. */
  readonly mostPlaces?: number | undefined;
}

/** How many single changes and places of a finding are listed; JSON has all of them. */
const MOST_CHANGES = 8;
const MOST_PLACES = 3;

/** Returns the words for the changes of one finding, see `foldChanges`. */
export function describeChanges(changes: readonly [Change, ...Change[]], limits: WordLimits): ChangeWords {
  const spots = distinctSpots(changes);
  const edits = spots.map(describeEdit);
  const first = describeEdit(changes[0]);
  const notes = describeNotes(changes, describeWitness(changes, limits.line));
  const signs = new Set(edits.map(signOf));
  const sign = signs.size === 1 ? signOf(first) : "~";
  const { rule } = first.change;
  const says = SENTENCES[rule]?.(changes);
  if (says !== undefined) {
    const titles = rule === TITLE ? changes.map(describeEdit) : [];
    const listed = listEdits(titles, limits.line, ({ change }) => ["", printable(change.tool ?? "", 80)]);
    return { sign, says, place: "", notes: [...listed, ...notes] };
  }
  const place = joinPlaces(
    edits.map((edit) => edit.place),
    limits.mostPlaces,
  );
  const isOneEdit = spots.every(
    ({ before, after }) => isSameJson(before, changes[0].before) && isSameJson(after, changes[0].after),
  );
  const isList = (["before", "after"] as const).some((side) =>
    spots.every((spot) => spot[side] === undefined),
  );
  if (edits.length === 1 || isSameEdit(spots) || (isOneEdit && !WHOLE.has(rule))) {
    const each = isOneEdit ? [] : [{ text: "each of the texts has this edit" }];
    return { sign, place, ...describeValues(first, limits.value), notes: [...each, ...notes] };
  }
  if (WHOLE.has(rule)) return { sign, place, notes };
  if (new Set(spots.map(({ path }) => path)).size === 1 && isList)
    return { sign, place: first.place, ...describeList(spots, limits.value), notes };
  const limited = areLimits(spots) ? describeLimits(edits, limits.value) : undefined;
  if (limited !== undefined) return { sign, ...limited, notes };
  const listed = listEdits(edits, limits.line, (edit) => [`${signOf(edit)} `, edit.place]);
  return { sign, place: "", notes: [...listed, ...notes] };
}

/** Lists edits, each on its own line of about `limit` characters. */
function listEdits(
  edits: readonly ShownEdit[],
  limit: number,
  headOf: (edit: ShownEdit) => readonly [sign: string, subject: string],
): readonly Note[] {
  const notes = edits.map((edit): Note => {
    const [sign, subject] = headOf(edit);
    const room = Math.max(24, Math.floor((limit - subject.length) / 2));
    const values = joinValues(describeValues(edit, room));
    return { quote: sign + present(subject, values).join(": "), text: "" };
  });
  return firstOf(notes, MOST_CHANGES, (rest) => ({
    text: `and ${formatNumber(rest)} more: "--json" lists them all`,
  }));
}

/** A finding on one line: its sentence, or its place and values. Empty where the notes say everything. */
export function joinWords({ says, place, ...values }: ChangeWords): string {
  return says ?? present(place, joinValues(values)).join(": ");
}

function joinValues({ before, after }: ValueWords): string {
  return present(before, after).join(" → ");
}

/** Rules whose values are whole definitions, which are less useful than the name of the tool. */
const WHOLE: ReadonlySet<string> = new Set([
  "tool-added",
  "tool-removed",
  "output-schema-added",
  "output-schema-removed",
  ...["prompt", "resource", "skill"].flatMap((noun) => [`${noun}-added`, `${noun}-removed`]),
]);

const TITLE = "tool-title-changed";

/** Sentences for rules whose values alone would not be understood. */
const SENTENCES: Readonly<Record<string, (changes: readonly [Change, ...Change[]]) => string | undefined>> = {
  [TITLE]: (changes) => {
    const tools = new Set(changes.map(({ tool }) => tool)).size;
    const says = changes.every(({ after }) => after === undefined) ? "no title any more" : "a new title";
    return tools === 1 ? undefined : `${count(tools, "tool")} have ${says}`;
  },
  "server-version-kept": ([{ after }]) =>
    `the server's version did not change: ${printable(typeof after === "string" ? after : JSON.stringify(after), 80)}`,
  "tool-renamed": nameOne(({ after }) => `renamed to ${quote(after)}`),
  "tool-name-invalid": nameOne(({ after }) => `MCP does not allow the name ${quote(after)}`),
  "tool-name-duplicate": nameOne(() => "the server lists several tools of this name"),
  "tool-name-collision": nameOne(({ before }) => `generates the same identifier as ${quote(before)}`),
  [NAME_TAKEN]: (changes) => {
    const [first, ...others] = changes;
    if (others.length === 0) return describeTaken(first);
    const names = changes.map((change) => takenFrom(change)?.tool);
    const servers = new Set(changes.map((change) => `\`${printable(takenFrom(change)?.server ?? "", 80)}\``));
    const areEqual = changes.every(({ tool }, index) => tool === names[index]);
    return `${areEqual ? "same names as" : "names that equal or resemble those of"} tools of ${[...servers].join(" and ")}`;
  },
};

function nameOne(
  describe: (change: Change) => string,
): (changes: readonly [Change, ...Change[]]) => string | undefined {
  return ([first, ...others]) => (others.length === 0 ? describe(first) : undefined);
}

function quote(value: JsonValue | undefined): string {
  return `\`${printable(typeof value === "string" ? value : JSON.stringify(value ?? null), 80)}\``;
}

/** The tool of another server whose name a tool has, or nearly has; undefined for a change of another rule. */
function takenFrom({ rule, after }: Change): { readonly server: string; readonly tool: string } | undefined {
  const shadows = rule === NAME_TAKEN ? findOwn(after, "shadows") : undefined;
  const server = findOwn(shadows, "server");
  const tool = findOwn(shadows, "tool");
  return typeof server === "string" && typeof tool === "string" ? { server, tool } : undefined;
}

/** The words for the tool whose name another tool has: "same name as `read_file` of `files`". */
export function describeTaken(change: Change): string {
  const { server = "", tool = "" } = takenFrom(change) ?? {};
  const words = change.tool === tool ? "same name as" : "looks like";
  return `${words} \`${printable(tool, 80)}\` of \`${printable(server, 80)}\``;
}

/** The changes without duplicates: equal changes at the same place of other tools. */
function distinctSpots(changes: readonly Change[]): readonly Change[] {
  if (changes.length === 1) return changes;
  const spots = groupBy(changes, ({ path, before, after }) =>
    canonicalJson([path, ...[before, after].map((value) => (value === undefined ? [] : [value]))]),
  );
  return [...spots.values()].map(([first]) => first);
}

function joinPlaces(all: readonly string[], most = MOST_PLACES): string {
  const places = [...new Set(all)].filter((place) => place !== "");
  return joinFirst(places, most, (rest) => count(rest, "more place"));
}

function signOf({ change, before, after }: ShownEdit): "+" | "-" | "~" {
  if (change.rule === "tool-added") return "+";
  if (change.rule === "tool-removed") return "-";
  const isOnBoth = (change.before === undefined) === (change.after === undefined);
  if (isOnBoth || (before !== undefined && after !== undefined)) return "~";
  return change.before === undefined ? "+" : "-";
}

interface ValueWords {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

function describeValues({ change: { rule }, before, after, areWords }: ShownEdit, limit: number): ValueWords {
  if (WHOLE.has(rule)) return {};
  if (areWords === undefined && before !== undefined && after !== undefined) {
    const [beforePart, afterPart] = contrast(...withoutLayout(rule, before, after), limit);
    return { before: beforePart, after: afterPart };
  }
  const [beforeText, afterText] = [before, after].map((value) => {
    const text = areWords === true && typeof value === "string" ? value : JSON.stringify(value);
    return value === undefined ? undefined : printable(text, limit);
  });
  return { before: beforeText, after: afterText };
}

/** Descriptions on one line, unless they differ only in white space. */
function withoutLayout(
  rule: string,
  before: JsonValue,
  after: JsonValue,
): readonly [before: JsonValue, after: JsonValue] {
  if (!/description|instructions/.test(rule) || typeof before !== "string" || typeof after !== "string")
    return [before, after];
  const [beforeText, afterText] = [before, after].map((text) => text.replace(/\s{2,}|[^\S ]/g, " ").trim());
  return beforeText === undefined || afterText === undefined || beforeText === afterText
    ? [before, after]
    : [beforeText, afterText];
}

function describeList(changes: readonly Change[], limit: number): ValueWords {
  const join = (values: readonly (Change["before"] | undefined)[]): string | undefined => {
    const texts = values.filter((value) => value !== undefined).map((value) => JSON.stringify(value));
    return texts.length === 0 ? undefined : printable(texts.join(", "), 2 * limit);
  };
  return { before: join(changes.map((each) => each.before)), after: join(changes.map((each) => each.after)) };
}

/** Several limits of one value, or equal limits of several values; undefined where they differ. */
function describeLimits(
  edits: readonly ShownEdit[],
  limit: number,
): { readonly place: string; readonly after: string } | undefined {
  const sites = groupBy(edits, ({ change }) => siteOf(change));
  const texts = [...sites].map(([site, ofSite]) =>
    ofSite
      .map((edit) => `${edit.change.path.slice(site.length + 1)} ${joinValues(describeValues(edit, limit))}`)
      .join(", "),
  );
  const [text = "", ...others] = new Set(texts);
  if (others.length > 0) return undefined;
  const places = [...sites.keys()].map((site) => describePointer(site));
  return { place: joinPlaces(places), after: printable(text, 2 * limit) };
}

/** The reason, the waiver and the place in PHP, around the witness if there is one. */
export function describeNotes(
  changes: readonly [Change, ...Change[]],
  witness: readonly Note[] = [],
): readonly Note[] {
  const [{ waiver }] = changes;
  const texts = present(
    ...changes.map(describeMeaning),
    ...changes.map(({ reason }) => reason && printable(reason, 400)),
    waiver && describeWaiver(waiver),
    // How sure a rename is that no server declared.
    ...changes.map(
      ({ confidence }) => confidence !== undefined && `${Math.round(confidence * 100)} percent sure`,
    ),
  );
  const notes: readonly Note[] = [
    ...texts.map((text) => ({ text })),
    ...witness,
    ...changes.flatMap(describePhp),
  ];
  return [...new Map(notes.map((note) => [JSON.stringify([note.quote, note.text]), note])).values()];
}

/** One instance is enough to show what breaks. */
function describeWitness(changes: readonly Change[], limit: number): readonly Note[] {
  const shown = changes.filter(({ witness }) => witness !== undefined);
  const [change] = shown;
  if (change?.witness === undefined) return [];
  const { witness, witnessAt = "" } = change;
  const says = describeVerdictOn(change);
  const text = shown.length === 1 ? says : `${says} (1 of ${formatNumber(shown.length)})`;
  return [{ quote: showWitness(witness, witnessAt, Math.max(24, limit - text.length - 1)), text }];
}

/** How a schema's verdict on the witness changed. */
export function describeVerdictOn({ path }: Change): string {
  const isOutput = path.startsWith("/outputSchema");
  return isOutput ? "is now a possible answer" : "was accepted and is now rejected";
}
