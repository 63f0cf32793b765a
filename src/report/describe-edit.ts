import { findOwn, isJsonArray, isJsonObject, type JsonValue } from "../core/json.js";
import type { Change } from "../core/change.js";
import type { Finding } from "../core/finding.js";
import { joinPointer, splitPointer, isSameJson } from "../core/json-pointer.js";
import { ENTRY_LISTS, findEntry } from "../core/entries.js";
import { printable } from "../core/printable.js";
import { count, present } from "./layout.js";

/** Where a change is and its values, as people read them. */
interface EditWords {
  /** Readable and printable; empty for the tool or the server itself. */
  readonly place: string;
  /** Where it is, if that is not the path of the change: the property whose name a list of required ones has. */
  readonly path?: string | undefined;
  readonly before?: JsonValue | undefined;
  readonly after?: JsonValue | undefined;
  /** Whether the values are words of the report instead of values of the definition. */
  readonly areWords?: true;
}

export interface ShownEdit extends EditWords {
  readonly change: Change;
}

/** Returns the place and the values of a change. Values that mean nothing without their keyword become words. */
export function describeEdit(change: Change): ShownEdit {
  for (const describe of [editOfRequirement, editOfArgument, editOfFile, editOfHint, editOfLimit]) {
    const edit = describe(change);
    if (edit !== undefined) return { change, ...edit };
  }
  const { rule, path, item, before, after } = change;
  const place = describePointer(path, item);
  // The place names what changed; an empty value says nothing more.
  if (/^(?:server-(?:capability|extension)|app-permission)-/.test(rule)) {
    const withoutEmpty = (value: JsonValue | undefined): JsonValue | undefined =>
      isJsonObject(value) && Object.keys(value).length === 0 ? undefined : value;
    return { change, place, before: withoutEmpty(before), after: withoutEmpty(after) };
  }
  // Another keyword may have the same value now, which is shown once.
  const shownBefore = isSameJson(before, after) ? undefined : unlistConstant(change);
  return { change, place, before: shownBefore, after };
}

/** A property that became required or optional: a flag at its schema, or its name in a list of required properties. */
function editOfRequirement({ rule, path, before, after }: Change): EditWords | undefined {
  if (!/-(?:property-became-(?:required|optional)|schema-changed)$/.test(rule)) return undefined;
  const edit = (pointer: string, isRequired: boolean): EditWords => {
    const words = { before: nameRequired(!isRequired), after: nameRequired(isRequired) };
    return { place: describePointer(pointer), path: pointer, ...words, areWords: true };
  };
  if (rule.includes("-became-") && typeof after === "boolean") return edit(path, after);
  const name = after ?? before;
  const isListed = path.endsWith("/required") && (before === undefined) !== (after === undefined);
  if (!isListed || typeof name !== "string") return undefined;
  return edit(path.slice(0, -"/required".length) + joinPointer("", "properties", name), after !== undefined);
}

function nameRequired(isRequired: boolean): string {
  return isRequired ? "required" : "optional";
}

function editInWords(
  { path, item, before, after }: Change,
  describe: (value: JsonValue) => string,
): EditWords {
  return {
    place: describePointer(path, item),
    before: before === undefined ? undefined : describe(before),
    after: after === undefined ? undefined : describe(after),
    areWords: true,
  };
}

function editOfArgument(change: Change): EditWords | undefined {
  const { rule, before, after } = change;
  if (!/^prompt-.*argument-/.test(rule)) return undefined;
  const isBoth = before !== undefined && after !== undefined;
  return editInWords(change, (argument) => {
    const required = nameRequired(findOwn(argument, "required") === true);
    const about = [findOwn(argument, "description"), findOwn(argument, "title")].find(
      (text) => typeof text === "string" && text.trim() !== "",
    );
    return isBoth || about === undefined ? required : `${required}, ${JSON.stringify(about)}`;
  });
}

function editOfFile(change: Change): EditWords | undefined {
  const { rule, item } = change;
  if (rule !== "skill-files-changed" || item === undefined) return undefined;
  return editInWords(change, (file) => {
    const size = findOwn(file, "size");
    const digest = findOwn(file, "digest");
    return present(
      typeof size === "number" && count(size, "byte"),
      typeof digest === "string" && digest,
    ).join(", ");
  });
}

/** A hint that is absent on one side, where its default applies. */
function editOfHint({ rule, path, before, after }: Change): EditWords | undefined {
  const verb = /^annotation-\w+-(gained|lost)$/.exec(rule)?.[1];
  if (verb === undefined || (before === undefined) === (after === undefined)) return undefined;
  const isOn = verb === "gained";
  return {
    place: describePointer(path),
    before: before === undefined ? `${!isOn} by default` : JSON.stringify(before),
    after: after === undefined ? `${isOn} by default` : JSON.stringify(after),
    areWords: true,
  };
}

/** A limit of the same value that another keyword states. */
function editOfLimit({ rule, path, before, after }: Change): EditWords | undefined {
  const [, verb] = /-bound-(tightened|loosened)$/.exec(rule) ?? [];
  const [, keyword = ""] = /\/(?:exclusive)?(minimum|maximum)$/i.exec(path) ?? [];
  if (verb === undefined || keyword === "" || before === undefined || !isSameJson(before, after))
    return undefined;
  const words = keyword.toLowerCase() === "minimum" ? ["at least", "more than"] : ["at most", "less than"];
  const [beforeText, afterText] = verb === "tightened" ? words : [...words].reverse();
  const from = `${beforeText} ${JSON.stringify(before)}`;
  const to = `${afterText} ${JSON.stringify(after)}`;
  const place = describePointer(path.slice(0, path.lastIndexOf("/")));
  return { place, before: from, after: to, areWords: true };
}

/** Explains the values of a change whose keyword is not widely known. */
export function describeMeaning({ rule, path, before, after }: Change): string | undefined {
  const keyword = path.slice(path.lastIndexOf("/") + 1);
  if (/-bound-/.test(rule) && keyword === "minContains") {
    // Without `minContains`, one item has to match.
    const [beforeText, afterText] = [before, after].map((least) =>
      least === 0 ? "no item" : `at least ${JSON.stringify(least ?? 1)} of the items`,
    );
    return `Before, ${beforeText} had to match \`contains\`; now ${afterText} ${after === 0 ? "has" : "have"} to.`;
  }
  if (/-bound-/.test(rule) && keyword === "maxContains") {
    const [beforeMost, afterMost] = [before, after].map((most) =>
      most === undefined ? "any number of items" : `at most ${JSON.stringify(most)} of the items`,
    );
    return `Before, ${beforeMost} could match \`contains\`; now ${afterMost} may.`;
  }
  const isUnion = (keyword === "oneOf" || keyword === "anyOf") && before !== undefined && after !== undefined;
  if (isUnion && rule.endsWith("-constraint-added"))
    return "Before, a value could fit several branches; now it must fit exactly one.";
  if (isUnion && rule.endsWith("-constraint-removed"))
    return "Before, a value had to fit exactly one branch; now it may fit several.";
  return undefined;
}

/** The value of a constant that was removed, which is compared as a list of values. */
function unlistConstant({ rule, path, before }: Change): JsonValue | undefined {
  const isList = rule.endsWith("-enum-dropped") && path.endsWith("/const") && isJsonArray(before);
  return isList && before.length === 1 ? before[0] : before;
}

/** JSON Schema keywords that hold schemas by name, with the text that precedes the name. */
const BY_NAME: ReadonlyMap<string, string> = new Map([
  ["properties", "."],
  ["patternProperties", " patternProperties "],
  ["dependentSchemas", " dependentSchemas "],
  ["dependencies", " dependencies "],
  ["$defs", " $defs "],
  ["definitions", " definitions "],
]);
const BY_INDEX: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf"]);
const SINGLE: ReadonlySet<string> = new Set(["not", "if", "then", "else", "contains", "propertyNames"]);
const SCHEMAS: ReadonlyMap<string, string> = new Map([
  ["inputSchema", "input"],
  ["outputSchema", "output"],
]);

const ITEMS: ReadonlyMap<string, string> = new Map([
  ["arguments", "argument"],
  ["resources", "file"],
]);

/**
 * A place in a definition in readable form: `/inputSchema/properties/tags/items/maxLength` gives `input.tags[]
 * maxLength`. Empty for the definition itself. An item of a list is named by `item`, not by its index. The names in it
 * come from a server, so the result is one printable line.
 */
export function describePointer(pointer: string, item?: string): string {
  // The subject names the entry.
  const steps = splitPointer(findEntry(pointer)?.path ?? pointer);
  const [first, ...rest] = steps;
  const noun = ITEMS.get(first ?? "");
  if (item !== undefined && noun !== undefined)
    return printable([noun, printName(item), ...rest.slice(1)].join(" "), 160);
  if (first === undefined) return "";
  const side = SCHEMAS.get(first);
  const text = side === undefined ? steps.reduce(joinStep) : side + describeSteps(rest);
  return printable(text, 160);
}

function joinStep(text: string, step: string): string {
  return /^\d{1,9}$/.test(step) ? `${text}[${step}]` : `${text} ${step}`;
}

/**
 * Names the subject of a change: a tool, an entry such as `prompt review`, or undefined for the server itself. The name
 * comes from a server.
 */
export function describeSubject({ tool, path = "" }: Pick<Finding, "tool" | "path">): string | undefined {
  if (tool !== undefined) return tool;
  const entry = findEntry(path);
  return entry && `${ENTRY_LISTS[entry.list].noun} ${entry.id}`;
}

/** The printable name of the subject of a change. */
export function nameSubject(change: Pick<Finding, "tool" | "path">): string {
  return printable(describeSubject(change) ?? "the server itself", 80);
}

function describeSteps(steps: readonly string[]): string {
  const [keyword, ...rest] = steps;
  if (keyword === undefined) return "";
  const [next, ...others] = rest;
  const lead = BY_NAME.get(keyword);
  if (lead !== undefined && next !== undefined) return lead + printName(next) + describeSteps(others);
  if (keyword === "items" || keyword === "prefixItems") {
    const isIndex = next !== undefined && /^\d{1,9}$/.test(next);
    return isIndex ? `[${next}]${describeSteps(others)}` : `[]${describeSteps(rest)}`;
  }
  if (keyword === "additionalProperties" && next !== undefined) return `.*${describeSteps(rest)}`;
  if (BY_INDEX.has(keyword) && next !== undefined) return ` ${keyword}[${next}]${describeSteps(others)}`;
  if (SINGLE.has(keyword)) return ` ${keyword}${describeSteps(rest)}`;
  // Any other keyword holds values, not schemas.
  return ` ${steps.join(" ")}`;
}

function printName(name: string): string {
  return /^[\w$-]{1,80}$/.test(name) ? name : JSON.stringify(name);
}
