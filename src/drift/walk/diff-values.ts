import { type Difference, joinPointer, type JsonPair } from "../../core/json-pointer.js";
import { canonicalJson, isJsonObject, type JsonValue } from "../../core/json.js";
import type { ArrayNode, Contains, SchemaIR } from "../../core/schema-ir.js";
import type { SidedRuleName } from "../rules.js";
import { ALL_TYPE_NAMES, type FlatSchema, type Limit, roundLimit, type TypeName } from "./flatten-schema.js";
import {
  diffPart,
  EITHER_WAY,
  type PendingChange,
  type PendingChangeDetails,
  type PlacePair,
  type VarianceContext,
  type Walk,
} from "./walk.js";
import { pointerOf, type SchemaSide } from "./schema-side.js";

/** Returns the changes of types, enumerated values, limits and patterns. */
export function diffValues(place: PlacePair, walk: Walk): readonly PendingChange[] {
  return [...diffTypes(place, walk), ...diffEnumerations(place, walk), ...diffScalars(place, walk)];
}

/** Whether a schema allows a type. Every integer is a number. */
export function allows({ types }: FlatSchema, type: TypeName): boolean {
  return types === undefined || types.has(type) || (type === "integer" && types.has("number"));
}

function diffTypes(place: PlacePair, walk: Walk): readonly PendingChange[] {
  const { before, after, flatBefore, flatAfter, context } = place;
  const gained = [...(flatAfter.types ?? ALL_TYPE_NAMES)].filter((type) => !allows(flatBefore, type));
  const lost = [...(flatBefore.types ?? ALL_TYPE_NAMES)].filter((type) => !allows(flatAfter, type));
  const isDisjoint = [...(flatAfter.types ?? ALL_TYPE_NAMES)].every((type) => !overlaps(flatBefore, type));
  const typeBefore = typeAt(walk.before, before, flatBefore);
  const typeAfter = typeAt(walk.after, after, flatAfter);
  const report = (name: SidedRuleName): readonly PendingChange[] => {
    const isWritten = typeAfter.at.endsWith("/type") && walk.isChangedAt(typeAfter.at);
    const whole = { before: typeBefore.value, after: typeAfter.value };
    const difference = isWritten ? undefined : findTypes(place, [...gained, ...lost], whole, walk);
    const { at, ...types } = difference ?? { at: typeAfter.at, ...whole };
    return walk.report(name, at, types, context);
  };
  if (flatBefore.types?.size === 0 || flatAfter.types?.size === 0) {
    const isListed = flatBefore.values !== undefined && flatAfter.values !== undefined;
    if (flatBefore.types?.size === flatAfter.types?.size || isListed) return [];
    const rule = flatAfter.types?.size === 0 ? "constraint-added" : "constraint-removed";
    const at = pointerOf(walk.after, after);
    const whole = {
      at,
      before: walk.before.read(pointerOf(walk.before, before)),
      after: walk.after.read(at),
    };
    const isWhole = before.kind === "never" || after.kind === "never";
    const [changed = whole] = isWhole ? [] : walk.listChangedKeywords(place, ...DECIDING);
    return walk.report(rule, changed.at, changed, context);
  }
  if (isDisjoint) return report("type-changed");
  // If only one schema has enumerated values, the change of the enumeration covers the types.
  const isNarrower = lost.length > 0 && !(flatAfter.values !== undefined && flatBefore.values === undefined);
  const isWider = gained.length > 0 && !(flatBefore.values !== undefined && flatAfter.values === undefined);
  if (flatBefore.values !== undefined && flatAfter.values !== undefined) return [];
  if (isNarrower && isWider) return report("type-changed");
  if (isNarrower) {
    if (flatBefore.types === undefined) return report("type-added");
    return report(lost.length === 1 && lost[0] === "null" ? "null-removed" : "type-narrowed");
  }
  if (isWider) return report(gained.length === 1 && gained[0] === "null" ? "null-added" : "type-widened");
  return [];
}

/** The keywords that may leave a schema without values. */
const DECIDING = ["type", "enum", "const", "allOf", "anyOf", "oneOf"].map((keyword) => `/${keyword}`);

/** A branch of a union, which may have a type that the other schema does not allow. */
const BRANCH_TYPE = /\/(?:anyOf|oneOf)\/\d+\/type$/;

/**
 * Finds where a `type` changed: in a member of `allOf`, in a branch, or in a referenced schema. If no single place has both
 * types, the types of the whole schema are reported there.
 */
function findTypes(
  place: PlacePair,
  moved: readonly TypeName[],
  whole: JsonPair,
  walk: Walk,
): Difference | undefined {
  const [first, ...others] = walk.listChangedKeywords(place, "/type");
  if (first === undefined) return undefined;
  const all = [first, ...others];
  const hasMoved = ({ at, before, after }: Difference): boolean =>
    BRANCH_TYPE.test(at) && [before, after].flat().some((type) => moved.some((each) => each === type));
  const written = all.find(({ before, after }) => before !== undefined && after !== undefined);
  return written ?? all.find(hasMoved) ?? { ...whole, at: first.at };
}

function overlaps(flat: FlatSchema, type: TypeName): boolean {
  return allows(flat, type) || (type === "number" && allows(flat, "integer"));
}

/** The types that a schema allows, in its own spelling, and their JSON Pointer. */
function typeAt(
  side: SchemaSide,
  node: SchemaIR,
  { types }: FlatSchema,
): { readonly value: JsonValue | undefined; readonly at: string } {
  const [pointer = node.at] = side.pointersOf(node);
  const raw = side.read(pointer);
  const isWritten = isJsonObject(raw) && Object.hasOwn(raw, "type");
  if (isWritten) return { value: raw["type"], at: joinPointer(pointer, "type") };
  const names = types && [...types];
  return { value: names?.length === 1 ? names[0] : names, at: pointer };
}

/** The pointer of a constant in a union: the other branches may allow other values. */
const BRANCH_CONST = /\/(?:anyOf|oneOf)\/\d+\/const$/;

function diffEnumerations(place: PlacePair, walk: Walk): readonly PendingChange[] {
  const { flatBefore, flatAfter, context } = place;
  const enumBefore = flatBefore.values;
  const enumAfter = flatAfter.values;
  if (enumBefore === undefined && enumAfter === undefined) return [];
  const isTypeOther = [...(flatAfter.types ?? ALL_TYPE_NAMES)].every((type) => !overlaps(flatBefore, type));
  if (enumBefore === undefined || enumAfter === undefined) {
    if (isTypeOther) return [];
    const judged = judgeAlone(place, walk);
    if (enumBefore !== undefined)
      return walk.report("enum-dropped", enumBefore.at, { before: enumBefore.value, ...judged }, context);
    if (enumAfter === undefined) return [];
    const isBranch = !context.isAlone && BRANCH_CONST.test(enumAfter.at);
    return enumAfter.value.length === 1 && enumAfter.at.endsWith("/const") && !isBranch
      ? walk.report("const-introduced", enumAfter.at, { after: enumAfter.value[0], ...judged }, context)
      : walk.report("enum-introduced", enumAfter.at, { after: enumAfter.value, ...judged }, context);
  }
  const removed = without(enumBefore.value, enumAfter.value);
  const added = without(enumAfter.value, enumBefore.value);
  const before = removed[0];
  const after = added[0];
  const [changed] = walk.listChangedKeywords(place, "/enum", "/const");
  const at = walk.findChanged(enumAfter.at, changed?.at ?? enumBefore.at);
  if (enumBefore.value.length === 1 && enumAfter.value.length === 1 && before !== undefined)
    return walk.report("const-changed", at, { before, after }, context);
  return [
    ...removed.flatMap((value) => walk.report("enum-value-removed", at, { before: value }, context)),
    ...added.flatMap((value) => walk.report("enum-value-added", at, { after: value }, context)),
  ];
}

/** Classifies an enumeration that was added or removed. Only a proof can compare it with the other schema. */
function judgeAlone({ before, after, flatBefore, flatAfter }: PlacePair, walk: Walk): PendingChangeDetails {
  const isWider = flatBefore.values !== undefined;
  if ((walk.side === "input") !== isWider || !(flatBefore.isEnumeration || flatAfter.isEnumeration))
    return {};
  if (walk.isSafe(before, after)) return {};
  return {
    class: "unknown",
    reason: "Some of the enumerated values may not fit the schema that replaced the enum.",
  };
}

function without(values: readonly JsonValue[], others: readonly JsonValue[]): readonly JsonValue[] {
  const texts = new Set(others.map(canonicalJson));
  return values.filter((value) => !texts.has(canonicalJson(value)));
}

/** The type that each limit applies to. */
const LIMITED: Readonly<Record<string, TypeName>> = {
  minimum: "integer",
  maximum: "integer",
  minLength: "string",
  maxLength: "string",
  minItems: "array",
  maxItems: "array",
  minProperties: "object",
  maxProperties: "object",
};

function diffScalars(place: PlacePair, walk: Walk): readonly PendingChange[] {
  const { flatBefore: before, flatAfter: after, context } = place;
  if (before.isEnumeration || after.isEnumeration) return [];
  const isBoth = (type: TypeName): boolean => allows(before, type) && allows(after, type);
  const isWhole = !isBoth("number");
  const limits = Object.entries(LIMITED).flatMap(([keyword, type]) => {
    const [limitBefore, limitAfter] = [before, after].map((flat) => {
      const limit = flat.limits.get(keyword);
      return limit !== undefined && type === "integer" && isWhole ? roundLimit(keyword, limit) : limit;
    });
    return isBoth(type) ? diffLimit(keyword, limitBefore, limitAfter, place, walk) : [];
  });
  return [
    ...limits,
    ...(isBoth("string") ? diffLists("pattern", before.patterns, after.patterns, place, walk) : []),
    ...(isBoth("string") ? diffLists("format", before.formats, after.formats, place, walk) : []),
    ...(isBoth("integer") ? diffLists("multiple-of", before.divisors, after.divisors, place, walk) : []),
    ...(isBoth("array") && before.unique !== undefined && after.unique === undefined
      ? walk.report("unique-items-removed", before.unique, { before: true }, context)
      : []),
    ...(isBoth("array") && before.unique === undefined && after.unique !== undefined
      ? walk.report("unique-items-added", after.unique, { after: true }, context)
      : []),
  ];
}

function diffLimit(
  keyword: string,
  before: Limit | undefined,
  after: Limit | undefined,
  { context }: PlacePair,
  walk: Walk,
): readonly PendingChange[] {
  const [first, ...others] = [after?.at, before?.at].filter((pointer) => pointer !== undefined);
  if (first === undefined || (before?.value === after?.value && before?.isExclusive === after?.isExclusive))
    return [];
  const at = walk.findChanged(first, ...others);
  const details = { before: before?.value, after: after?.value };
  // A limit on the number of properties is a new rule rather than a tighter limit.
  if (keyword.endsWith("Properties") && before === undefined)
    return walk.report("constraint-added", at, details, context);
  if (keyword.endsWith("Properties") && after === undefined)
    return walk.report("constraint-removed", at, details, context);
  const isLower = keyword.startsWith("min");
  const isTighter =
    before === undefined ||
    (after !== undefined &&
      (before.value === after.value ? after.isExclusive : after.value > before.value === isLower));
  return walk.report(isTighter ? "bound-tightened" : "bound-loosened", at, details, context);
}

function diffLists<T extends string | number>(
  what: "pattern" | "format" | "multiple-of",
  valuesBefore: ReadonlyMap<T, string>,
  valuesAfter: ReadonlyMap<T, string>,
  { context }: PlacePair,
  walk: Walk,
): readonly PendingChange[] {
  const removed = [...valuesBefore].filter(([value]) => !valuesAfter.has(value));
  const added = [...valuesAfter].filter(([value]) => !valuesBefore.has(value));
  const first = removed[0];
  const second = added[0];
  const report = (
    how: "added" | "changed" | "removed",
    at: string,
    values: JsonPair,
  ): readonly PendingChange[] =>
    walk.report(
      `${what}-${how}`,
      at,
      { ...values, ...(what === "format" && judgeFormat(how, walk)) },
      context,
    );
  if (removed.length === 1 && added.length === 1 && first !== undefined && second !== undefined) {
    const [[before], [after, at]] = [first, second];
    return report("changed", at, { before, after });
  }
  return [
    ...removed.flatMap(([value, at]) => report("removed", at, { before: value, after: undefined })),
    ...added.flatMap(([value, at]) => report("added", at, { before: undefined, after: value })),
  ];
}

/** An asserted format restricts values. Whether two formats accept the same strings is unknown. */
function judgeFormat(how: "added" | "changed" | "removed", { side }: Walk): PendingChangeDetails {
  if (how === "changed")
    return { class: "unknown", reason: "Formats are not compared with each other.", isProved: true };
  return { class: (how === "added") === (side === "input") ? "breaking" : "safe", isProved: true };
}

/** Returns the changes of the rules for the items of arrays. */
export function diffArrays(place: PlacePair, walk: Walk): readonly PendingChange[] {
  const { flatBefore, flatAfter, context } = place;
  if (!allows(flatBefore, "array") || !allows(flatAfter, "array")) return [];
  if (flatBefore.isEnumeration || flatAfter.isEnumeration) return [];
  const before = flatBefore.array;
  const after = flatAfter.array;
  const count = Math.max(before?.prefix.length ?? 0, after?.prefix.length ?? 0);
  const places = Array.from({ length: count }, (_, index) => index).flatMap((index) =>
    diffItem(itemAt(before, index), itemAt(after, index), context, walk),
  );
  return [
    ...places,
    ...diffItem(before?.items, after?.items, context, walk),
    ...diffContains(before, after, context, walk),
  ];
}

function itemAt(node: ArrayNode | undefined, index: number): SchemaIR | undefined {
  return node?.prefix[index] ?? node?.items;
}

function diffItem(
  before: SchemaIR | undefined,
  after: SchemaIR | undefined,
  context: VarianceContext,
  walk: Walk,
): readonly PendingChange[] {
  if (before === undefined && after === undefined) return [];
  const at = after === undefined ? (before?.at ?? "") : pointerOf(walk.after, after);
  const wasNone = before !== undefined && walk.before.term(before).kind === "never";
  const isNone = after !== undefined && walk.after.term(after).kind === "never";
  // "No item allowed" is a rule for the array, and other keywords such as `maxItems` may express it too.
  if (wasNone !== isNone) {
    const details = {
      before: before && walk.before.read(pointerOf(walk.before, before)),
      after: after && walk.after.read(pointerOf(walk.after, after)),
    };
    return walk.report(isNone ? "constraint-added" : "constraint-removed", at, details, context);
  }
  return walk.diff(before ?? { kind: "any", at }, after ?? { kind: "any", at }, context);
}

function diffContains(
  arrayBefore: ArrayNode | undefined,
  arrayAfter: ArrayNode | undefined,
  context: VarianceContext,
  walk: Walk,
): readonly PendingChange[] {
  const before = arrayBefore?.contains;
  const after = arrayAfter?.contains;
  if (before === undefined || after === undefined)
    return diffPart(before?.schema, after?.schema, context, walk);
  if (!isBounded(before) && !isBounded(after) && before.min === after.min)
    return walk.diff(before.schema, after.schema, context);
  // With `maxContains`, a wider schema for the items makes the array's schema narrower.
  const inside = walk.diff(before.schema, after.schema, EITHER_WAY);
  const count = (keyword: "minContains" | "maxContains"): readonly PendingChange[] => {
    const valueBefore = walk.before.read(joinPointer(arrayBefore?.at ?? "", keyword));
    const valueAfter = walk.after.read(joinPointer(arrayAfter?.at ?? "", keyword));
    const [left, other] =
      keyword === "minContains" ? [after.min, before.min] : [before.max ?? Infinity, after.max ?? Infinity];
    if (left === other) return [];
    const pointer = joinPointer((valueAfter === undefined ? arrayBefore?.at : arrayAfter?.at) ?? "", keyword);
    const rule = left > other ? "bound-tightened" : "bound-loosened";
    return walk.report(rule, pointer, { before: valueBefore, after: valueAfter }, context);
  };
  return [...inside, ...count("minContains"), ...count("maxContains")];
}

function isBounded({ max }: Contains): boolean {
  return max !== undefined;
}
