import { pairItems } from "../../core/collections.js";
import {
  foldSpace,
  hasSameWords,
  isSameJson,
  joinPointer,
  keysOfBoth,
  narrowDifference,
  splitPointer,
} from "../../core/json-pointer.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import { listSchemas } from "../../core/subschemas.js";
import type { SchemaIR } from "../../core/schema-ir.js";
import { ASSERTING_KEYWORDS, isKnown } from "../../schema/raw/dialect.js";
import { fateOf } from "../unconfirmed-change.js";
import type { FlatSchema, WrittenPart } from "./flatten-schema.js";
import { type PendingChange, type PlacePair, type Walk, WHOLE } from "./walk.js";
import type { SchemaSide } from "./schema-side.js";
import type { SidedRuleName } from "../rules.js";

/** Returns the changes of texts for people and models, such as descriptions, and of keywords without a rule. */
export function diffNotes(place: PlacePair, walk: Walk): readonly PendingChange[] {
  const notesOf = (side: SchemaSide, node: SchemaIR, { branches, formats }: FlatSchema): Notes => {
    const notes = collectNotes(
      side,
      [node, ...branches].flatMap((part) => side.pointersOf(part)),
      walk,
    );
    // An asserted format is a rule.
    const others = notes
      .get("format")
      ?.filter(({ value }) => typeof value !== "string" || !formats.has(value));
    return others === undefined ? notes : new Map([...notes, ["format", others]]);
  };
  const notesBefore = notesOf(walk.before, place.writtenBefore, place.flatBefore);
  const notesAfter = notesOf(walk.after, place.writtenAfter, place.flatAfter);
  return [...new Set([...notesBefore.keys(), ...notesAfter.keys()])].flatMap((key) => {
    const texts = { before: notesBefore.get(key) ?? [], after: notesAfter.get(key) ?? [] };
    return pairNotes(texts.before, texts.after, sameNoteOf(key)).flatMap((pair) =>
      diffNote(key, pair, texts, walk),
    );
  });
}

type IsSame = (before: JsonValue | undefined, after: JsonValue | undefined) => boolean;

const TEXTS: ReadonlySet<string> = new Set(["title", "description", "$comment"]);

function sameNoteOf(key: string): IsSame {
  return TEXTS.has(key) ? hasSameWords : isSameJson;
}

type WrittenNote = WrittenPart<JsonValue>;

interface NotePair {
  readonly before?: WrittenNote | undefined;
  readonly after?: WrittenNote | undefined;
}

/**
 * Returns the notes of one keyword that differ. A schema may have several, on itself and on its branches. Equal notes are
 * paired first, at the same place and then at any place. The rest are paired by place, then by order.
 */
function pairNotes(
  notesBefore: readonly WrittenNote[],
  notesAfter: readonly WrittenNote[],
  isSame: IsSame,
): readonly NotePair[] {
  const isSameValue = (before: WrittenNote, after: WrittenNote): boolean => isSame(before.value, after.value);
  const isSamePlace = (before: WrittenNote, after: WrittenNote): boolean => before.at === after.at;
  const { pairs, removed, added } = pairItems(
    notesBefore,
    notesAfter,
    (before, after) => isSamePlace(before, after) && isSameValue(before, after),
    isSameValue,
    isSamePlace,
    () => true,
  );
  const changed = pairs.filter(({ before, after }) => !isSameValue(before, after));
  const changes: readonly NotePair[] = [
    ...changed,
    ...removed.map((before) => ({ before })),
    ...added.map((after) => ({ after })),
  ];
  // The same change on a schema and on its branch counts once.
  return changes.filter((pair, index) => changes.findIndex((other) => isSameEdit(pair, other)) === index);
}

function isSameEdit(pair: NotePair, other: NotePair): boolean {
  return (["before", "after"] as const).every((side) => isSameJson(pair[side]?.value, other[side]?.value));
}

const COPY_KEPT = "The schema still has the same text at another place.";
const COPY_ADDED = "The schema already had the same text at another place.";

function diffNote(
  key: string,
  { before: noteBefore, after: noteAfter }: NotePair,
  texts: { readonly before: readonly WrittenNote[]; readonly after: readonly WrittenNote[] },
  walk: Walk,
): readonly PendingChange[] {
  const before = noteBefore?.value;
  const after = noteAfter?.value;
  const at = noteAfter?.at ?? noteBefore?.at ?? "";
  const how = fateOf(noteBefore, noteAfter);
  const report = (name: SidedRuleName): readonly PendingChange[] =>
    walk.report(name, at, { before, after }, WHOLE);
  switch (key) {
    case "description": {
      const isKept = noteAfter === undefined && texts.after.some(({ value }) => hasSameWords(value, before));
      const isCopy = noteBefore === undefined && texts.before.some(({ value }) => hasSameWords(value, after));
      const judged =
        isKept || isCopy ? { class: "safe" as const, reason: isKept ? COPY_KEPT : COPY_ADDED } : {};
      return walk.report(`description-${how}`, at, { before, after, ...judged }, WHOLE);
    }
    case "default":
      return report(`default-${how}`);
    case "format":
      return report(`format-${how}`);
    case "deprecated":
      return report(after === true ? "deprecated-added" : "annotation-changed");
    case "title":
    case "examples":
    case "readOnly":
    case "writeOnly":
    case "$comment":
    case "contentEncoding": // Validators do not check the content of a string (JSON Schema 2020-12, validation, section 8).
    case "contentMediaType":
    case "contentSchema":
      return report("annotation-changed");
    default:
      return reportUnknown(before, after, at, walk);
  }
}

/** Reports a keyword that JSON Schema does not define, at the deepest place that contains the whole difference. */
function reportUnknown(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  at: string,
  walk: Walk,
): readonly PendingChange[] {
  const { at: deepest, ...values } = narrowDifference({ at, before, after });
  const isLater = ASSERTING_KEYWORDS.includes(splitPointer(at).at(-1) ?? "");
  const reason = isLater
    ? "The dialect of the schema does not define this keyword."
    : "JSON Schema does not define this keyword.";
  return walk.report("keyword-changed", deepest, { ...values, reason }, WHOLE);
}

/** The keywords of a schema that accept and reject nothing, such as `description`: all keywords except {@link RULES}. */
type Notes = ReadonlyMap<string, readonly WrittenNote[]>;

/** Returns the notes of the schemas at these pointers, and of their references and `allOf` members. */
function collectNotes(side: SchemaSide, pointers: readonly string[], walk: Walk): Notes {
  const notes = new Map<string, WrittenNote[]>();
  for (const pointer of pointers) collect(side, pointer, notes, new Set(), walk);
  return notes;
}

// A note beside a reference overrides the same note of its target.
function collect(
  side: SchemaSide,
  pointer: string,
  notes: Map<string, WrittenNote[]>,
  seen: Set<string>,
  walk: Walk,
): void {
  const raw = side.read(pointer);
  if (!isJsonObject(raw) || seen.has(pointer)) return;
  seen.add(pointer);
  for (const [key, value] of Object.entries(raw)) {
    const note = isRule(key, walk) ? undefined : clean(key, value, raw);
    if (note === undefined) continue;
    notes.set(key, [...(notes.get(key) ?? []), { value: note, at: joinPointer(pointer, key) }]);
  }
  for (const key of ["allOf", "anyOf", "oneOf"]) {
    const parts = raw[key];

    if (!Array.isArray(parts) || (key !== "allOf" && parts.length > 1)) continue;
    for (const index of parts.keys()) collect(side, joinPointer(pointer, key, index), notes, seen, walk);
  }
  const target = side.parsed.targets.get(pointer);
  if (target === undefined) return;
  const beyond = new Map<string, WrittenNote[]>();
  collect(side, target, beyond, seen, walk);
  for (const [key, values] of beyond) if (!notes.has(key)) notes.set(key, values);
}

/** Returns a note without meaningless parts; undefined if nothing is left. */
function clean(key: string, value: JsonValue, schema: JsonObject): JsonValue | undefined {
  if (TEXTS.has(key) && typeof value === "string") return value.trim() || undefined;
  if (key === "deprecated" || key === "readOnly" || key === "writeOnly")
    return value === false ? undefined : value;
  // PHP writes an empty object as an empty list.
  const isEmpty =
    key === "default" && isOfObjects(schema["type"]) && Array.isArray(value) && value.length === 0;
  return isEmpty ? {} : value;
}

function isOfObjects(type: JsonValue | undefined): boolean {
  const types: readonly JsonValue[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  return types.includes("object") && !types.includes("array");
}

/**
 * Returns the changes of notes that no value leads to: below `not` and conditions, in definitions that nothing refers to, and
 * those that a note beside a reference overrides. Models read them all the same. Compares the schemas at equal places; a note that
 * the other schema has at another place was moved.
 */
export function diffUnreadNotes(pending: readonly PendingChange[], walk: Walk): readonly PendingChange[] {
  const schemasBefore = listSchemas(walk.before.raw);
  const schemasAfter = listSchemas(walk.after.raw);
  const paths = new Set(pending.map(({ at }) => at));
  const values = new Set(pending.map(({ before, after }) => textOfPair(before, after)));
  // Their values show the notes inside.
  const wholes = pending.filter(({ before, after }) => isJsonObject(before) || isJsonObject(after));
  const isReported = (at: string, before: JsonValue | undefined, after: JsonValue | undefined): boolean =>
    paths.has(at) ||
    values.has(textOfPair(before, after)) ||
    wholes.some((whole) => at.startsWith(`${whole.at}/`));
  let written: { readonly before: ReadonlySet<string>; readonly after: ReadonlySet<string> } | undefined;
  return [...schemasAfter].flatMap(([pointer, schema]) => {
    const locked = schemasBefore.get(pointer);
    if (locked === undefined) return [];
    return keysOfBoth(locked, schema).flatMap((key): readonly PendingChange[] => {
      const before = noteOf(key, locked, walk);
      const after = noteOf(key, schema, walk);
      const at = joinPointer(pointer, key);
      const isSame = sameNoteOf(key);
      if (isSame(before, after) || isReported(at, before, after)) return [];
      written ??= { before: textsOf(schemasBefore, walk), after: textsOf(schemasAfter, walk) };
      const isMoved = written.before.has(textOf(key, after));
      if (isMoved && (after !== undefined || written.after.has(textOf(key, before)))) return [];
      const pair = {
        before: before === undefined ? undefined : { value: before, at },
        after: after === undefined ? undefined : { value: after, at },
      };
      const changes = diffNote(key, pair, { before: [], after: [] }, walk);
      return TEXTS.has(key) ? changes : changes.map((change) => ({ ...change, ...UNREAD }));
    });
  });
}

const UNREAD = { class: "safe", reason: "No value is described by the keyword at this place." } as const;

function textOfPair(before: JsonValue | undefined, after: JsonValue | undefined): string {
  return JSON.stringify([foldSpace(before), foldSpace(after)]);
}

function textOf(key: string, value: JsonValue | undefined): string {
  return value === undefined ? "" : JSON.stringify([key, foldSpace(value)]);
}

/** The notes of schemas as texts, and an empty text for an absent one. */
function textsOf(schemas: ReadonlyMap<string, JsonObject>, walk: Walk): ReadonlySet<string> {
  const texts = new Set([""]);
  for (const schema of schemas.values())
    for (const key of Object.keys(schema)) texts.add(textOf(key, noteOf(key, schema, walk)));
  return texts;
}

function noteOf(key: string, schema: JsonObject, walk: Walk): JsonValue | undefined {
  const value = isRule(key, walk) ? undefined : getOwn(schema, key);
  return value === undefined ? undefined : clean(key, value, schema);
}

/** Whether a keyword is a rule, and so not one of the {@link Notes}. A rule of a later dialect than those of both schemas is a note. */
function isRule(key: string, { before, after }: Walk): boolean {
  return RULES.has(key) && [before, after].some(({ parsed }) => isKnown(key, parsed));
}

/** Keywords that affect which values a schema accepts, or that only name schemas. A format is one only where it is asserted. */
const RULES: ReadonlySet<string> = new Set([
  ...ASSERTING_KEYWORDS.filter((keyword) => keyword !== "format"),
  "$schema",
  "$id",
  "id",
  "$defs",
  "definitions",
  "$vocabulary",
]);
