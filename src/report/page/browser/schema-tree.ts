import type { JsonValue } from "../../../core/json.js";
import { splitPointer } from "../../../core/json-pointer.js";
import { followReferences, type PlacedSchema } from "../../../core/subschemas.js";
import { count } from "../../layout.js";
import type { PageEdit, PageFinding, PageReport } from "../page-data.js";
import {
  diffLines,
  type LineSide,
  type PairedLine,
  pairSchemas,
  type SchemaEdit,
  type SchemaPair,
} from "./side-by-side.js";
import { codeBlock, h, lazyDetails, markedText } from "./dom.js";
import { expand, type LineTexts, type Member, showsKeyword, lineTexts } from "./schema-rows.js";

/** Objects with at most this many properties are open at first. */
const MOST_OPEN = 14;
const MORE = "more: see JSON Schema";

/** Returns a schema as a tree: a line for each property, with its type, limits and description. */
export function schemaTree(schema: JsonValue): HTMLElement {
  const root = { schema, pointer: "" };
  const lines = linesBelow(root, schema, []);
  const { type, hides } = lineTexts({ schema, isRequired: false, isNote: true }, schema);
  return h(
    "div",
    lines.length > 0 ? h("ul.tree", ...lines) : h("p.quiet", type === "object" ? "No properties." : type),
    hides && h("p.quiet.small.hides", MORE),
  );
}

function linesBelow(
  place: PlacedSchema,
  root: JsonValue,
  above: readonly JsonValue[],
): readonly HTMLElement[] {
  return expand(place, root).members.map((member) => lineOf(member, root, above));
}

/** A line; `above` are the schemas of the lines that hold it. */
function lineOf(member: Member, root: JsonValue, above: readonly JsonValue[]): HTMLElement {
  const schema = followReferences(member.schema, root) ?? {};
  const texts = lineTexts(member, root);
  const { description } = texts;
  const head = [...headOf(member, texts), description !== undefined && h("span.about", description)];
  const { length } = expand(member, root).members;
  if (length === 0) return h("li", h("div.leaf", ...head));
  return h(
    "li",
    lazyDetails(
      above.includes(schema) ? "details.again" : "details",
      head,
      () => [h("ul", ...linesBelow(member, root, [...above, schema]))],
      above.length === 0 && length <= MOST_OPEN,
    ),
  );
}

/** The name, the type and the limits of a line. What `other`, the same line of another schema, lacks is marked. */
function headOf(
  { name, isNote }: Member,
  { type, isRequired, limits, hides }: LineTexts,
  other?: LineSide,
): readonly (HTMLElement | false)[] {
  const types = new Set(other?.texts.type.split(UNION));
  const marked = (isMarked: boolean, text: string): HTMLElement | string =>
    other !== undefined && isMarked ? h("mark", text) : text;
  const isNewlyRequired = other !== undefined && other.texts.isRequired !== isRequired;
  return [
    name !== "" &&
      h("span", { class: isNote ? "key note" : "key" }, marked(other?.member.name !== name, name)),
    h(
      "span.type",
      ...type
        .split(UNION)
        .flatMap((part, at) => [...(at === 0 ? [] : [UNION]), marked(!types.has(part), part)]),
    ),
    (isRequired || isNewlyRequired) &&
      h("span.required", marked(isNewlyRequired, isRequired ? "required" : "optional")),
    ...limits.map((limit) => h("span.limit", marked(other?.texts.limits.includes(limit) === false, limit))),
    hides && h("span.limit.hides", MORE),
  ];
}

const UNION = " | ";

/** An edit of a finding, for its mark in a tree. */
export interface TreeEdit extends PageEdit, SchemaEdit {
  readonly finding: PageFinding;
  /** Whether the finding's witness is about this edit. */
  readonly isWitnessed: boolean;
}

/** Worst first. */
export const CLASSES = ["breaking", "dangerous", "unknown", "safe"] as const;

/** Returns a schema before and after as one tree: lines that differ side by side, with a witness; others are folded. */
export function pairedTree(
  pair: SchemaPair,
  edits: readonly TreeEdit[],
  [was, is]: PageReport["sides"],
): HTMLElement {
  const root = pairSchemas(pair, edits);
  const context = { pair, depth: 0, shown: new Set<PageFinding>() };
  const hasWitness = edits.some(({ isWitnessed }) => isWitnessed);
  const own = root.edits.length > 0 || root.before === undefined || root.after === undefined;
  return h(
    "div",
    { class: `tree pairs${hasWitness ? " witnessed" : ""}` },
    h(
      "div.pair.heads",
      { "aria-hidden": "true" },
      h("div", was),
      h("div", is),
      hasWitness && h("div", "Counterexample"),
    ),
    h("ul", ...(own ? [pairedLine(root, context)] : pairedLines(root.below, context))),
  );
}

interface PairContext {
  readonly pair: SchemaPair;
  readonly depth: number;
  /** The findings whose witness is shown: a shared type is at several lines. */
  readonly shown: Set<PageFinding>;
}

/** Lines in their order; those without changes between two others are folded into one. */
function pairedLines(lines: readonly PairedLine<TreeEdit>[], context: PairContext): readonly HTMLElement[] {
  const elements: HTMLElement[] = [];
  let same: LineSide[] = [];
  const fold = (): void => {
    if (same.length > 0) elements.push(foldedLines(same, context));
    same = [];
  };
  for (const line of lines) {
    if (!line.isChanged && line.after !== undefined) {
      same.push(line.after);
      continue;
    }
    fold();
    elements.push(pairedLine(line, context));
  }
  fold();
  return elements;
}

function foldedLines(sides: readonly LineSide[], context: PairContext): HTMLElement {
  const { after = true } = context.pair;
  const names = sides.map(({ member }) => member.name).join(", ");
  const head = [
    h("span.quiet", `${count(sides.length, "unchanged property").replace(/ys$/, "ies")}: `),
    h("span.names", names),
  ];
  const lines = (): readonly HTMLElement[] => [
    h("ul", ...sides.map(({ member }) => lineOf(member, after, [after]))),
  ];
  return indent(h("li.same", lazyDetails("details.kept", head, lines)), context);
}

function pairedLine(line: PairedLine<TreeEdit>, context: PairContext): HTMLElement {
  const { before, after, edits, below, isRepeated } = line;
  const judged = CLASSES.find((name) => edits.some(({ finding }) => finding.class === name)) ?? "plain";
  const isEdited = edits.length > 0 || JSON.stringify(before?.texts) !== JSON.stringify(after?.texts);
  return h(
    "li",
    { class: isEdited ? `changed ${judged}` : "" },
    indent(
      h(
        "div.pair",
        ...(isEdited || after === undefined
          ? [cellOf("was", line, context), cellOf("now", line, context), witnessesOf(edits, context)]
          : [h("div.cell.both", ...headOf(after.member, after.texts))]),
        isRepeated && h("p.quiet.small", "Its properties are shown above."),
      ),
      context,
    ),
    below.length > 0 && h("ul", ...pairedLines(below, { ...context, depth: context.depth + 1 })),
  );
}

/** The page's policy refuses style attributes, but not properties. */
function indent(element: HTMLElement, { depth }: PairContext): HTMLElement {
  element.style.setProperty("--depth", String(depth));
  return element;
}

const SIDES = {
  was: { sign: "−", label: "before: ", key: "before", other: "after" },
  now: { sign: "+", label: "after: ", key: "after", other: "before" },
} as const;

/** One side of a line. It also names edits of keywords that no line shows. */
function cellOf(kind: "was" | "now", line: PairedLine<TreeEdit>, { pair }: PairContext): HTMLElement {
  const { sign, label, key, other } = SIDES[kind];
  const side = line[key];
  if (side === undefined) return h("div", { class: `cell ${kind} absent` }, h("span.hidden", "absent"));
  const { member, texts } = side;
  const rest = line[other];
  const cell = h(
    "div",
    { class: `cell ${kind}` },
    h("span.sign", { "aria-hidden": "true" }, sign),
    h("span.hidden", label),
    ...headOf(member, texts, rest),
    texts.description !== rest?.texts.description &&
      descriptionOf(kind, texts.description, rest && (rest.texts.description ?? "")),
  );
  const root = pair[key] ?? true;
  if (rest === undefined) {
    const { length } = expand(member, root).members;
    if (length > 0)
      cell.append(
        lazyDetails("details.kept", [count(length, "property").replace(/ys$/, "ies")], () => [
          h("ul", ...linesBelow(member, root, [])),
        ]),
      );
    return cell;
  }
  const shown = cell.textContent;
  for (const { pointer, place, ...edit } of line.edits) {
    const value = edit[key];
    if (value === undefined || shown.includes(value)) continue;
    const steps = stepsTo(pointer, line);
    if (steps?.length === 0 || showsKeyword(steps?.[0] ?? "", value)) continue;
    cell.append(h("code.limit", h("mark", `${steps?.join(" ") ?? place}: ${value}`)));
  }
  return cell;
}

/** The steps from a line to the keyword of an edit; undefined for an edit elsewhere. */
function stepsTo(pointer: string, { before, after }: PairedLine<TreeEdit>): readonly string[] | undefined {
  const outer = [after, before]
    .map((side) => side?.member.pointer)
    .find((at) => at !== undefined && (pointer === at || pointer.startsWith(`${at}/`)));
  return outer === undefined ? undefined : splitPointer(pointer.slice(outer.length));
}

function descriptionOf(
  kind: "was" | "now",
  text: string | undefined,
  other: string | undefined,
): HTMLElement | false {
  if (text === undefined) return false;
  if (other === undefined) return h("span.about", text);
  const [before, after] = kind === "was" ? [text, other] : [other, text];
  const lines = diffLines(before, after).filter(({ sign }) => sign !== (kind === "was" ? "+" : "-"));
  return h("span.about", ...lines.flatMap((line, at) => [at === 0 ? "" : "\n", ...markedText(line)]));
}

function witnessesOf(edits: readonly TreeEdit[], { shown }: PairContext): HTMLElement | false {
  const found = edits.flatMap(({ finding, isWitnessed }) => {
    const { witness } = finding;
    if (!isWitnessed || witness === undefined || shown.has(finding)) return [];
    shown.add(finding);
    return [witnessView(witness)];
  });
  return found.length > 0 && h("div.beside", ...found);
}

/** Shows a value that one side accepts and the other rejects. */
export function witnessView({ says, json }: NonNullable<PageFinding["witness"]>): HTMLElement {
  return h("div.witness", h("h4", `This value ${says}`), codeBlock(json, "witness"));
}
