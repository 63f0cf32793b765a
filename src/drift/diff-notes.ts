import { isJsonObject, getOwn, type JsonValue } from "../contract/json.js";
import type { SchemaIR } from "../contract/schema-ir.js";
import { ASSERTED_FORMATS } from "../schema/asserted-formats.js";
import { joinPointer } from "../schema/json-pointer.js";
import { collectNotes } from "./collect-notes.js";
import { HEADER_KEYWORD } from "./diff-parameter-headers.js";
import { isEqual } from "./is-equal.js";
import type { Position, Written } from "./position.js";
import type { SchemaSide } from "./schema-side.js";
import type { Draft, DraftDetails, SchemaWalk } from "./schema-walk.js";
import type { SidedRuleName } from "./sided-rules.js";

const ANYWHERE = { isMonotone: true, isCertain: true, isAlone: true };

/** How two schemas differ in what they say to people and models, and in keywords that no rule knows. */
export function diffNotes(
  before: SchemaIR,
  after: SchemaIR,
  was: Position,
  is: Position,
  walk: SchemaWalk,
): readonly Draft[] {
  const pointersOf = (side: SchemaSide, node: SchemaIR, { branches }: Position): readonly string[] =>
    [node, ...branches].flatMap((part) => side.pointersOf(part));
  const old = collectNotes(walk.old, pointersOf(walk.old, before, was));
  const now = collectNotes(walk.now, pointersOf(walk.now, after, is));
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((key) => {
    const [gone, come] = without(old.get(key) ?? [], now.get(key) ?? []);
    return Array.from({ length: Math.max(gone.length, come.length) }, (_, index) => index).flatMap((index) =>
      diffNote(key, gone[index], come[index], walk),
    );
  });
}

/** What each list has that the other has not. */
function without(
  old: readonly Written<JsonValue>[],
  now: readonly Written<JsonValue>[],
): readonly [readonly Written<JsonValue>[], readonly Written<JsonValue>[]] {
  const come = [...now];
  const gone = old.filter(({ value }) => {
    const index = come.findIndex((other) => isEqual(other.value, value));
    if (index >= 0) come.splice(index, 1);
    return index < 0;
  });
  return [gone, come];
}

function diffNote(
  key: string,
  old: Written<JsonValue> | undefined,
  now: Written<JsonValue> | undefined,
  walk: SchemaWalk,
): readonly Draft[] {
  const [before, after, at] = [old?.value, now?.value, now?.at ?? old?.at ?? ""];
  const how = old === undefined ? "added" : now === undefined ? "removed" : "changed";
  const report = (name: SidedRuleName): readonly Draft[] =>
    walk.report(name, at, { before, after }, ANYWHERE);
  switch (key) {
    case "description":
      return report(`description-${how}`);
    case "default":
      return report(`default-${how}`);
    case "format":
      return walk.report(
        `format-${how}`,
        at,
        { before, after, ...judgeFormat(how, [before, after], walk) },
        ANYWHERE,
      );
    case "deprecated":
      return report(after === true ? "deprecated-added" : "annotation-changed");
    case "title":
    case "examples":
    case "readOnly":
    case "writeOnly":
    case "$comment":
    case "contentEncoding": // What a text contains is not checked (JSON Schema 2020-12, validation, section 8).
    case "contentMediaType":
    case "contentSchema":
      return report("annotation-changed");
    case HEADER_KEYWORD:
      // In the input, diffParameterHeaders reports it.
      return walk.side === "input" ? [] : reportUnknown(before, after, at, walk);
    default:
      return reportUnknown(before, after, at, walk);
  }
}

/** A format that is asserted is a rule: whether another one takes the same texts is not known. */
function judgeFormat(
  how: "added" | "removed" | "changed",
  formats: readonly (JsonValue | undefined)[],
  { side, assertsFormats }: SchemaWalk,
): Pick<DraftDetails, "class" | "reason"> {
  // A format that nobody knows is an annotation all the same.
  const isRule = formats.some((format) => typeof format === "string" && ASSERTED_FORMATS.has(format));
  if (!assertsFormats || !isRule) return {};
  if (how === "changed") return { class: "unknown", reason: "Formats are not compared with each other." };
  return { class: (how === "added") === (side === "input") ? "breaking" : "safe" };
}

/** A keyword that is none of JSON Schema's, told at the deepest place that holds all of the difference. */
function reportUnknown(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  at: string,
  walk: SchemaWalk,
): readonly Draft[] {
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const [key, ...others] = keys.filter((name) => !isEqual(getOwn(before, name), getOwn(after, name)));
    if (key !== undefined && others.length === 0)
      return reportUnknown(getOwn(before, key), getOwn(after, key), joinPointer(at, key), walk);
  }
  const reason = "JSON Schema does not say what this keyword means.";
  return walk.report("keyword-changed", at, { before, after, reason }, ANYWHERE);
}
