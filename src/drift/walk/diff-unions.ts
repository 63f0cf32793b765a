import { pairItems, type Pairing } from "../../core/collections.js";
import { canonicalJson, type JsonValue } from "../../core/json.js";
import type { IfNode, ObjectNode, SchemaIR } from "../../core/schema-ir.js";
import { bitOf, typesOf } from "../../schema/ir/node-types.js";
import {
  ALL_TYPE_NAMES,
  type Constraint,
  type FlatSchema,
  flattenSchema,
  type Union,
} from "./flatten-schema.js";
import {
  besideOf,
  EITHER_WAY,
  type ObjectPair,
  type PendingChange,
  type PlacePair,
  reportAdded,
  reportRemoved,
  type VarianceContext,
  type Walk,
} from "./walk.js";
import { isSameJson, joinPointer, splitPointer } from "../../core/json-pointer.js";
import { parentOf, pointerOf, type SchemaSide } from "./schema-side.js";

/** Returns the changes of the unions of two schemas. A union that only one of them has is a constraint. */
export function diffUnions(place: PlacePair, walk: Walk): readonly PendingChange[] {
  const { was, is, context } = place;
  const count = Math.max(was.unions.length, is.unions.length);
  return Array.from({ length: count }, (_, index) => index).flatMap((index) => {
    const old = was.unions[index];
    const now = is.unions[index];
    if (old !== undefined && now !== undefined)
      return diffUnion(old, now, { ...place, beside: besideOf(place) }, walk);
    if (now !== undefined) return reportAdded(walk, now.at, context);
    if (old === undefined) return [];
    return reportRemoved(walk, old.at, context);
  });
}

/**
 * Compares a plain schema with a union, as if the plain schema were a union with one branch. Returns undefined unless
 * exactly one of the two schemas is a union without other rules.
 */
export function diffAsUnion(place: PlacePair, walk: Walk): readonly PendingChange[] | undefined {
  const { old, now, was, is } = place;
  const before = unionOf(was, walk.old);
  const after = unionOf(is, walk.now);
  if (before !== undefined && after === undefined && isSomething(is))
    return diffUnion(before, alone(now, walk.now), { ...place, beside: besideOf(place) }, walk);
  if (after !== undefined && before === undefined && isSomething(was))
    return diffUnion(alone(old, walk.old), after, place, walk);
  return undefined;
}

function alone(node: SchemaIR, side: SchemaSide): Union {
  const at = pointerOf(side, node);
  // A union of different types counts as a list of types elsewhere.
  if (node.kind === "anyOf" || node.kind === "oneOf")
    return { isInclusive: true, at: joinPointer(at, node.kind), members: node.members };
  // The copy has no JSON Pointer, so the texts of the whole schema do not count as texts of the branch.
  return { isInclusive: true, at, members: [{ ...node }] };
}

function unionOf(flat: FlatSchema, side: SchemaSide): Union | undefined {
  const [only, ...others] = flat.unions;
  if (only === undefined || others.length > 0) return undefined;
  const types = areImplied(flat.types, only, side) ? undefined : flat.types;
  return isSomething(flat, { types, unions: [] }) ? undefined : only;
}

function areImplied(types: FlatSchema["types"], { members }: Union, { parsed }: SchemaSide): boolean {
  const bits = [...(types ?? [])].reduce((all, type) => all | (type === "integer" ? 0 : bitOf(type)), 0);
  return members.every((member) => (typesOf(member, parsed.definitions) & ~bits) === 0);
}

/** Whether a schema has a rule; its types and unions may count as others than they are. */
function isSomething(
  flat: FlatSchema,
  { types, unions }: { readonly types: FlatSchema["types"]; readonly unions: readonly Union[] } = flat,
): boolean {
  const { values, limits, patterns, divisors, unique, object, array, constraints } = flat;
  return (
    [types, values, unique, object, array].some((rule) => rule !== undefined) ||
    [limits.size, patterns.size, divisors.size, unions.length, constraints.length].some((n) => n > 0)
  );
}

const EXCLUSIVE_REASON = "A `oneOf` rejects a value that fits two of its branches.";

function diffUnion(
  old: Union,
  now: Union,
  { context, beside }: PlacePair,
  walk: Walk,
): readonly PendingChange[] {
  const { pairs, removed, added } = pairBranches(old.members, now.members, walk);
  const isInclusive = old.isInclusive && now.isInclusive;
  const others = (branches: readonly SchemaIR[], but: SchemaIR): readonly SchemaIR[] =>
    branches.filter((branch) => branch !== but);
  /** Whether no other branch accepts the values of this branch. */
  const isCertain = (branch: SchemaIR, but: SchemaIR | undefined): boolean => {
    if (!context.isCertain) return false;
    const [from, to, rest] =
      walk.side === "input" ? [walk.old, walk.now, now.members] : [walk.now, walk.old, old.members];
    return others(rest, but ?? branch).every((other) => walk.areDisjoint(from.term(branch), to.term(other)));
  };
  const wholes = { before: asNode(old), after: asNode(now) };
  /** Returns the changes of a branch. They are safe if the other union accepts its values in any of its branches. */
  const judge = (branch: SchemaIR, changes: readonly PendingChange[]): readonly PendingChange[] => {
    // Where the direction is not known, a proof about one branch says nothing about the others.
    if (!context.isMonotone) return changes;
    const isInput = walk.side === "input";
    const pair = { old: isInput ? branch : wholes.before, now: isInput ? wholes.after : branch };
    return walk.judge({ ...pair, context, beside }, changes);
  };
  const inside = pairs.flatMap(({ before, after }): readonly PendingChange[] => {
    if (walk.old.term(before) === walk.now.term(after)) return walk.diff(before, after, context, beside);
    if (!isInclusive) return walk.diff(before, after, EITHER_WAY);
    const [from, like] = walk.side === "input" ? [before, after] : [after, before];
    const branchContext = { ...context, isCertain: isCertain(from, like), isAlone: false };
    const changes = walk.diff(before, after, branchContext, beside);
    if (walk.side === "output") return judge(from, changes);
    const sites = [...flattenSchema(before, walk.old).sites, ...flattenSchema(after, walk.now).sites];
    const isKept = isKeptElsewhere({ before, sites, now, whole: wholes.after, beside }, walk);
    return judge(from, changes).filter((change) => !isKept(change));
  });
  const exclusive = isInclusive ? {} : ({ class: "unknown", reason: EXCLUSIVE_REASON } as const);
  return [
    ...inside,
    ...diffExclusion(old, now, context, walk),
    ...removed.flatMap((branch) => {
      const at = pointerOf(walk.old, branch);
      const sure = walk.side === "input" && isCertain(branch, undefined);
      const details = { before: walk.old.read(at), ...exclusive };
      const changes = walk.report("union-branch-removed", at, details, { ...context, isCertain: sure });
      return walk.side === "input" ? judge(branch, changes) : changes;
    }),
    ...added.flatMap((branch) => {
      const at = pointerOf(walk.now, branch);
      const sure = walk.side === "output" && isCertain(branch, undefined);
      const details = { after: walk.now.read(at), ...exclusive };
      const changes = walk.report("union-branch-added", at, details, { ...context, isCertain: sure });
      return walk.side === "output" ? judge(branch, changes) : changes;
    }),
  ];
}

interface ChangedBranch {
  readonly before: SchemaIR;
  /** The JSON Pointers of the rules of both versions. */
  readonly sites: readonly string[];
  readonly now: Union;
  /** The new union as one schema. */
  readonly whole: SchemaIR;
  readonly beside: readonly ObjectPair[];
}

/**
 * Returns whether the new union still accepts what a change of one branch removed: a property that another branch declares, or
 * a value of a property.
 */
function isKeptElsewhere(
  { before, sites, now, whole, beside }: ChangedBranch,
  walk: Walk,
): (change: PendingChange) => boolean {
  return ({ name, at, before: value }) => {
    const isOfValue = name === "enum-value-removed" && value !== undefined;
    if (name !== "property-removed" && !isOfValue) return false;
    const pointer = isOfValue ? parentOf(at) : at;
    const property = splitPointer(pointer).at(-1) ?? "";
    if (!sites.some((site) => joinPointer(site, "properties", property) === pointer)) return false;
    const isDeclared = now.members.some((member) => declares(flattenSchema(member, walk.now), property));
    const schema: SchemaIR = isOfValue ? { kind: "literal", at, values: [value] } : { kind: "any", at };
    const passed: ObjectNode = {
      kind: "object",
      at,
      required: [property],
      properties: [{ name: property, isRequired: true, isDeclared: isOfValue, schema }],
      patterns: [],
      dependents: [],
    };
    return isDeclared && walk.isSafe({ kind: "allOf", at, members: [before, passed] }, whole, beside);
  };
}

function declares({ object }: FlatSchema, name: string): boolean {
  return object?.properties.some((property) => property.isDeclared && property.name === name) === true;
}

function asNode({ isInclusive, at, members }: Union): SchemaIR {
  return { kind: isInclusive ? "anyOf" : "oneOf", at, members };
}

/** An `anyOf` that becomes a `oneOf` with overlapping branches now rejects values that fit two of them. */
function diffExclusion(
  old: Union,
  now: Union,
  context: VarianceContext,
  walk: Walk,
): readonly PendingChange[] {
  const isBoth = old.members.length > 1 && now.members.length > 1;
  if (!isBoth || old.isInclusive === now.isInclusive) return [];
  const details = { before: walk.old.read(old.at), after: walk.now.read(now.at) };
  return walk.report(old.isInclusive ? "constraint-added" : "constraint-removed", now.at, details, context);
}

/** With more branches, only equal branches and branches with the same tag are paired. */
const MAX_COMPARED = 60;

/** Pairs the branches of two unions, regardless of their order: equal branches first, then the most similar. */
function pairBranches(old: readonly SchemaIR[], now: readonly SchemaIR[], walk: Walk): Pairing<SchemaIR> {
  const pairs: { readonly before: SchemaIR; readonly after: SchemaIR }[] = [];
  const removed = new Set(old);
  const added = new Set(now);
  const pair = (before: SchemaIR, after: SchemaIR): void => {
    pairs.push({ before, after });
    removed.delete(before);
    added.delete(after);
  };
  const byTerm = groupBy([...added], (branch) => [walk.now.term(branch).id]);
  const writtenAs = (side: SchemaSide, branch: SchemaIR): JsonValue | undefined =>
    side.read(pointerOf(side, branch));
  // Prefer branches with equal text, then any that accept the same values.
  for (const isAlike of [isSameJson, () => true]) {
    for (const before of [...removed]) {
      const after = byTerm
        .get(walk.old.term(before).id)
        ?.find(
          (branch) => added.has(branch) && isAlike(writtenAs(walk.old, before), writtenAs(walk.now, branch)),
        );
      if (after !== undefined) pair(before, after);
    }
  }
  const byTag = groupBy([...added], (branch) => tagsOf(branch, walk.now));
  for (const before of [...removed]) {
    const tagged = tagsOf(before, walk.old).flatMap((tag) => byTag.get(tag) ?? []);
    const after = tagged.find((branch) => added.has(branch));
    if (after !== undefined) pair(before, after);
  }
  if (removed.size > MAX_COMPARED || added.size > MAX_COMPARED)
    return { pairs, removed: [...removed], added: [...added] };
  const ranked = [...removed].flatMap((before) =>
    [...added].map((after) => ({ before, after, score: likeness(before, after, walk) })),
  );
  for (const { before, after, score } of ranked.sort((a, b) => b.score - a.score)) {
    if (score > 0 && removed.has(before) && added.has(after)) pair(before, after);
  }
  return { pairs, removed: [...removed], added: [...added] };
}

function groupBy<K>(
  branches: readonly SchemaIR[],
  keysOf: (branch: SchemaIR) => readonly K[],
): Map<K, SchemaIR[]> {
  const groups = new Map<K, SchemaIR[]>();
  for (const branch of branches) {
    for (const key of keysOf(branch)) groups.set(key, [...(groups.get(key) ?? []), branch]);
  }
  return groups;
}

/** The tags of a branch: required properties with a single possible value. */
function tagsOf(node: SchemaIR, side: SchemaSide): readonly string[] {
  const { object } = flattenSchema(side.follow(node), side);
  return (object?.properties ?? []).flatMap(({ name, isRequired, schema }) => {
    const values = isRequired ? flattenSchema(side.follow(schema), side).values?.value : undefined;
    return values?.length === 1 ? [canonicalJson([name, ...values])] : [];
  });
}

/** The similarity of two branches, from 0 to 1. */
function likeness(before: SchemaIR, after: SchemaIR, walk: Walk): number {
  const old = flattenSchema(walk.old.follow(before), walk.old);
  const now = flattenSchema(walk.now.follow(after), walk.now);
  const names = (flat: FlatSchema): readonly string[] =>
    (flat.object?.properties ?? []).map(({ name }) => name);
  if (names(old).length > 0 && names(now).length > 0) return share(names(old), names(now));
  // Enumerations without a common value are different branches.
  if (old.values !== undefined && now.values !== undefined)
    return share(old.values.value.map(canonicalJson), now.values.value.map(canonicalJson));
  const types = share([...(old.types ?? ALL_TYPE_NAMES)], [...(now.types ?? ALL_TYPE_NAMES)]);
  return old.values === now.values ? types / 2 : types / 4;
}

function share(old: readonly string[], now: readonly string[]): number {
  const all = new Set([...old, ...now]);
  const both = old.filter((type) => now.includes(type));
  return all.size === 0 ? 0 : both.length / all.size;
}

/** Returns the changes of rules that are compared as a whole: `not`, `if`, and rules that cannot be merged. */
export function diffConstraints(place: PlacePair, walk: Walk): readonly PendingChange[] {
  const { was, is, context } = place;
  const isSameKind = (old: Constraint, now: Constraint): boolean => old.node.kind === now.node.kind;
  const isSame = (old: Constraint, now: Constraint): boolean =>
    isSameKind(old, now) && walk.old.term(old.node) === walk.now.term(now.node);
  const { pairs, removed, added } = pairItems(was.constraints, is.constraints, isSame, isSameKind);
  return [
    ...pairs.flatMap(({ before, after }) =>
      isSame(before, after) ? [] : diffConstraint(before, after, place, walk),
    ),
    ...removed.flatMap(({ at }) => reportRemoved(walk, at, context)),
    ...added.flatMap(({ at }) => reportAdded(walk, at, context)),
  ];
}

function diffConstraint(
  old: Constraint,
  now: Constraint,
  place: PlacePair,
  walk: Walk,
): readonly PendingChange[] {
  const before = old.node;
  const after = now.node;
  if (before.kind === "not" && after.kind === "not")
    return walk.diff(before.schema, after.schema, EITHER_WAY);
  if (before.kind === "if" && after.kind === "if") return diffConditions(before, after, place, walk);
  if (before.kind !== "unevaluated" && after.kind !== "unevaluated")
    return walk.diff(before, after, place.context, besideOf(place));
  const details = { before: walk.old.read(old.at), after: walk.now.read(now.at) };
  return walk.report("schema-changed", now.at, details, EITHER_WAY);
}

function diffConditions(
  before: IfNode,
  after: IfNode,
  place: PlacePair,
  walk: Walk,
): readonly PendingChange[] {
  const { context } = place;
  const isSame = walk.old.term(before.if) === walk.now.term(after.if);
  const inside = isSame ? { ...context, isCertain: false, isAlone: false } : EITHER_WAY;
  const branch = (key: "then" | "else"): readonly PendingChange[] => {
    const old = before[key];
    const now = after[key];
    if (old === undefined && now === undefined) return [];
    const at = now === undefined ? joinPointer(parentOf(before.at), key) : pointerOf(walk.now, now);
    const any: SchemaIR = { kind: "any", at };
    return walk.diff(old ?? any, now ?? any, inside, besideOf(place));
  };
  return [...walk.diff(before.if, after.if, EITHER_WAY), ...branch("then"), ...branch("else")];
}
