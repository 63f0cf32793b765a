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
  const { old, now, was, is, context } = place;
  const gained = [...(is.types ?? ALL_TYPE_NAMES)].filter((type) => !allows(was, type));
  const lost = [...(was.types ?? ALL_TYPE_NAMES)].filter((type) => !allows(is, type));
  const isDisjoint = [...(is.types ?? ALL_TYPE_NAMES)].every((type) => !overlaps(was, type));
  const before = typeAt(walk.old, old, was);
  const after = typeAt(walk.now, now, is);
  const report = (name: SidedRuleName): readonly PendingChange[] => {
    const isWritten = after.at.endsWith("/type") && walk.isChangedAt(after.at);
    const whole = { before: before.value, after: after.value };
    const difference = isWritten ? undefined : findTypes(place, [...gained, ...lost], whole, walk);
    const { at, ...types } = difference ?? { at: after.at, ...whole };
    return walk.report(name, at, types, context);
  };
  if (was.types?.size === 0 || is.types?.size === 0) {
    if (was.types?.size === is.types?.size) return [];
    return report(is.types?.size === 0 ? "constraint-added" : "constraint-removed");
  }
  if (isDisjoint) return report("type-changed");
  // If only one schema has enumerated values, the change of the enumeration covers the types.
  const isNarrower = lost.length > 0 && !(is.values !== undefined && was.values === undefined);
  const isWider = gained.length > 0 && !(was.values !== undefined && is.values === undefined);
  if (was.values !== undefined && is.values !== undefined) return [];
  if (isNarrower && isWider) return report("type-changed");
  if (isNarrower) {
    if (was.types === undefined) return report("type-added");
    return report(lost.length === 1 && lost[0] === "null" ? "null-removed" : "type-narrowed");
  }
  if (isWider) return report(gained.length === 1 && gained[0] === "null" ? "null-added" : "type-widened");
  return [];
}

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
  const { was, is, context } = place;
  const old = was.values;
  const now = is.values;
  if (old === undefined && now === undefined) return [];
  const isTypeOther = [...(is.types ?? ALL_TYPE_NAMES)].every((type) => !overlaps(was, type));
  if (old === undefined || now === undefined) {
    if (isTypeOther) return [];
    const judged = judgeAlone(place, walk);
    if (old !== undefined)
      return walk.report("enum-dropped", old.at, { before: old.value, ...judged }, context);
    if (now === undefined) return [];
    const isBranch = !context.isAlone && BRANCH_CONST.test(now.at);
    return now.value.length === 1 && now.at.endsWith("/const") && !isBranch
      ? walk.report("const-introduced", now.at, { after: now.value[0], ...judged }, context)
      : walk.report("enum-introduced", now.at, { after: now.value, ...judged }, context);
  }
  const removed = without(old.value, now.value);
  const added = without(now.value, old.value);
  const before = removed[0];
  const after = added[0];
  const [changed] = walk.listChangedKeywords(place, "/enum", "/const");
  const at = walk.findChanged(now.at, changed?.at ?? old.at);
  if (old.value.length === 1 && now.value.length === 1 && before !== undefined)
    return walk.report("const-changed", at, { before, after }, context);
  return [
    ...removed.flatMap((value) => walk.report("enum-value-removed", at, { before: value }, context)),
    ...added.flatMap((value) => walk.report("enum-value-added", at, { after: value }, context)),
  ];
}

/** Classifies an enumeration that was added or removed. Only a proof can compare it with the other schema. */
function judgeAlone({ old, now, was, is }: PlacePair, walk: Walk): PendingChangeDetails {
  const isWider = was.values !== undefined;
  if ((walk.side === "input") !== isWider || !(was.isEnumeration || is.isEnumeration)) return {};
  if (walk.isSafe(old, now)) return {};
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
  const { was, is, context } = place;
  if (was.isEnumeration || is.isEnumeration) return [];
  const isWhole = !(allows(was, "number") && allows(is, "number"));
  const limits = Object.entries(LIMITED).flatMap(([keyword, type]) => {
    const [old, now] = [was, is].map((flat) => {
      const limit = flat.limits.get(keyword);
      return limit !== undefined && type === "integer" && isWhole ? roundLimit(keyword, limit) : limit;
    });
    return allows(was, type) && allows(is, type) ? diffLimit(keyword, old, now, place, walk) : [];
  });
  const isBoth = (type: TypeName): boolean => allows(was, type) && allows(is, type);
  return [
    ...limits,
    ...(isBoth("string") ? diffLists("pattern", was.patterns, is.patterns, place, walk) : []),
    ...(isBoth("integer") ? diffLists("multiple-of", was.divisors, is.divisors, place, walk) : []),
    ...(isBoth("array") && was.unique !== undefined && is.unique === undefined
      ? walk.report("unique-items-removed", was.unique, { before: true }, context)
      : []),
    ...(isBoth("array") && was.unique === undefined && is.unique !== undefined
      ? walk.report("unique-items-added", is.unique, { after: true }, context)
      : []),
  ];
}

function diffLimit(
  keyword: string,
  old: Limit | undefined,
  now: Limit | undefined,
  { context }: PlacePair,
  walk: Walk,
): readonly PendingChange[] {
  const [first, ...others] = [now?.at, old?.at].filter((pointer) => pointer !== undefined);
  if (first === undefined || (old?.value === now?.value && old?.isExclusive === now?.isExclusive)) return [];
  const at = walk.findChanged(first, ...others);
  const details = { before: old?.value, after: now?.value };
  // A limit on the number of properties is a new rule rather than a tighter limit.
  if (keyword.endsWith("Properties") && old === undefined)
    return walk.report("constraint-added", at, details, context);
  if (keyword.endsWith("Properties") && now === undefined)
    return walk.report("constraint-removed", at, details, context);
  const isLower = keyword.startsWith("min");
  const isTighter =
    old === undefined ||
    (now !== undefined &&
      (old.value === now.value ? now.isExclusive : isLower ? now.value > old.value : now.value < old.value));
  return walk.report(isTighter ? "bound-tightened" : "bound-loosened", at, details, context);
}

function diffLists<T extends string | number>(
  what: "pattern" | "multiple-of",
  old: ReadonlyMap<T, string>,
  now: ReadonlyMap<T, string>,
  { context }: PlacePair,
  walk: Walk,
): readonly PendingChange[] {
  const removed = [...old].filter(([value]) => !now.has(value));
  const added = [...now].filter(([value]) => !old.has(value));
  const first = removed[0];
  const second = added[0];
  if (removed.length === 1 && added.length === 1 && first !== undefined && second !== undefined) {
    const [[before], [after, at]] = [first, second];
    return walk.report(`${what}-changed`, at, { before, after }, context);
  }
  return [
    ...removed.flatMap(([value, at]) => walk.report(`${what}-removed`, at, { before: value }, context)),
    ...added.flatMap(([value, at]) => walk.report(`${what}-added`, at, { after: value }, context)),
  ];
}

/** Returns the changes of the rules for the items of arrays. */
export function diffArrays(place: PlacePair, walk: Walk): readonly PendingChange[] {
  const { was, is, context } = place;
  if (!allows(was, "array") || !allows(is, "array")) return [];
  if (was.isEnumeration || is.isEnumeration) return [];
  const old = was.array;
  const now = is.array;
  const count = Math.max(old?.prefix.length ?? 0, now?.prefix.length ?? 0);
  const places = Array.from({ length: count }, (_, index) => index).flatMap((index) =>
    diffItem(itemAt(old, index), itemAt(now, index), context, walk),
  );
  return [
    ...places,
    ...diffItem(old?.items, now?.items, context, walk),
    ...diffContains(old, now, context, walk),
  ];
}

function itemAt(node: ArrayNode | undefined, index: number): SchemaIR | undefined {
  return node?.prefix[index] ?? node?.items;
}

function diffItem(
  old: SchemaIR | undefined,
  now: SchemaIR | undefined,
  context: VarianceContext,
  walk: Walk,
): readonly PendingChange[] {
  if (old === undefined && now === undefined) return [];
  const at = now === undefined ? (old?.at ?? "") : pointerOf(walk.now, now);
  const wasNone = old !== undefined && walk.old.term(old).kind === "never";
  const isNone = now !== undefined && walk.now.term(now).kind === "never";
  // "No item allowed" is a rule for the array, and other keywords such as `maxItems` may express it too.
  if (wasNone !== isNone) {
    const details = {
      before: old && walk.old.read(pointerOf(walk.old, old)),
      after: now && walk.now.read(pointerOf(walk.now, now)),
    };
    return walk.report(isNone ? "constraint-added" : "constraint-removed", at, details, context);
  }
  return walk.diff(old ?? { kind: "any", at }, now ?? { kind: "any", at }, context);
}

function diffContains(
  was: ArrayNode | undefined,
  is: ArrayNode | undefined,
  context: VarianceContext,
  walk: Walk,
): readonly PendingChange[] {
  const old = was?.contains;
  const now = is?.contains;
  if (old === undefined || now === undefined) return diffPart(old?.schema, now?.schema, context, walk);
  if (!isBounded(old) && !isBounded(now) && old.min === now.min)
    return walk.diff(old.schema, now.schema, context);
  // With `maxContains`, a wider schema for the items makes the array's schema narrower.
  const inside = walk.diff(old.schema, now.schema, EITHER_WAY);
  const count = (keyword: "minContains" | "maxContains"): readonly PendingChange[] => {
    const [before, after] = [walk.old, walk.now].map((side) =>
      side.read(joinPointer((side === walk.old ? was : is)?.at ?? "", keyword)),
    );
    const [left, other] =
      keyword === "minContains" ? [now.min, old.min] : [old.max ?? Infinity, now.max ?? Infinity];
    if (left === other) return [];
    const pointer = joinPointer((after === undefined ? was?.at : is?.at) ?? "", keyword);
    return walk.report(
      left > other ? "bound-tightened" : "bound-loosened",
      pointer,
      { before, after },
      context,
    );
  };
  return [...inside, ...count("minContains"), ...count("maxContains")];
}

function isBounded({ max }: Contains): boolean {
  return max !== undefined;
}
