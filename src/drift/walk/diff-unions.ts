import { groupBy, pairItems, type Pairing } from "../../core/collections.js";
import { canonicalJson, type JsonValue } from "../../core/json.js";
import type { IfNode, ObjectNode, SchemaIR } from "../../core/schema-ir.js";
import { anyObjectNode, bitOf, typesOf } from "../../schema/ir/node-types.js";
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
  const { flatBefore, flatAfter, context } = place;
  const count = Math.max(flatBefore.unions.length, flatAfter.unions.length);
  return Array.from({ length: count }, (_, index) => index).flatMap((index) => {
    const before = flatBefore.unions[index];
    const after = flatAfter.unions[index];
    if (before !== undefined && after !== undefined)
      return diffUnion(before, after, { ...place, beside: besideOf(place) }, walk);
    if (after !== undefined) return reportAdded(walk, after.at, context);
    return before === undefined ? [] : reportRemoved(walk, before.at, context);
  });
}

/**
 * Compares a plain schema with a union, as if the plain schema were a union with one branch. Returns undefined unless
 * exactly one of the two schemas is a union without other rules.
 */
export function diffAsUnion(place: PlacePair, walk: Walk): readonly PendingChange[] | undefined {
  const { before, after, flatBefore, flatAfter } = place;
  const unionBefore = unionOf(flatBefore, walk.before);
  const unionAfter = unionOf(flatAfter, walk.after);
  if (unionBefore !== undefined && flatAfter.unions.length === 0 && isSomething(flatAfter)) {
    // The rules of the plain schema are in its branch, and not beside it.
    const beside = besideOf({ ...place, flatAfter: flatBefore });
    return diffUnion(unionBefore, alone(after, walk.after), { ...place, beside }, walk);
  }
  if (unionAfter !== undefined && flatBefore.unions.length === 0 && isSomething(flatBefore))
    return diffUnion(alone(before, walk.before), unionAfter, place, walk);
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
  const { values, limits, patterns, formats, divisors, unique, object, array, constraints } = flat;
  return (
    [types, values, unique, object, array].some((rule) => rule !== undefined) ||
    [limits.size, patterns.size, formats.size, divisors.size, unions.length, constraints.length].some(
      (n) => n > 0,
    )
  );
}

const EXCLUSIVE_REASON = "A `oneOf` rejects a value that fits two of its branches.";

function diffUnion(
  unionBefore: Union,
  unionAfter: Union,
  { context, beside }: PlacePair,
  walk: Walk,
): readonly PendingChange[] {
  const { pairs, removed, added } = pairBranches(unionBefore, unionAfter, walk);
  const isInclusive = unionBefore.isInclusive && unionAfter.isInclusive;

  /** Whether no other branch accepts the values of this branch. */
  const isCertain = (branch: SchemaIR, but: SchemaIR | undefined): boolean => {
    if (!context.isCertain) return false;
    const [from, to, rest] =
      walk.side === "input" ? [walk.before, walk.after, unionAfter] : [walk.after, walk.before, unionBefore];
    const others = rest.members.filter((other) => other !== (but ?? branch));
    return others.every((other) => walk.areDisjoint(from.term(branch), to.term(other)));
  };
  const wholes = { before: asNode(unionBefore), after: asNode(unionAfter) };
  /** Returns the changes of a branch. They are safe if the other union accepts its values in any of its branches. */
  const judge = (branch: SchemaIR, changes: readonly PendingChange[]): readonly PendingChange[] => {
    // Where the direction is not known, a proof about one branch says nothing about the others.
    if (!context.isMonotone) return changes;
    const isInput = walk.side === "input";
    const pair = { before: isInput ? branch : wholes.before, after: isInput ? wholes.after : branch };
    return walk.judge({ ...pair, context, beside }, changes);
  };
  const inside = pairs.flatMap(({ before, after }): readonly PendingChange[] => {
    if (walk.before.term(before) === walk.after.term(after)) return walk.diff(before, after, context, beside);
    if (!isInclusive) return walk.diff(before, after, EITHER_WAY);
    const [from, like] = walk.side === "input" ? [before, after] : [after, before];
    const branchContext = { ...context, isCertain: isCertain(from, like), isAlone: false };
    const changes = walk.diff(before, after, branchContext, beside);
    if (walk.side === "output") return judge(from, changes);
    const sites = [...flattenSchema(before, walk.before).sites, ...flattenSchema(after, walk.after).sites];
    const isKept = isKeptElsewhere({ before, sites, after: unionAfter, whole: wholes.after, beside }, walk);
    return judge(from, changes).filter((change) => !isKept(change));
  });
  const exclusive = isInclusive ? {} : ({ class: "unknown", reason: EXCLUSIVE_REASON } as const);
  return [
    ...inside,
    ...diffExclusion(unionBefore, unionAfter, context, walk),
    ...removed.flatMap((branch) => {
      const at = pointerOf(walk.before, branch);
      const sure = walk.side === "input" && isCertain(branch, undefined);
      const details = { before: walk.before.read(at), ...exclusive };
      const changes = walk.report("union-branch-removed", at, details, { ...context, isCertain: sure });
      return walk.side === "input" ? judge(branch, changes) : changes;
    }),
    ...added.flatMap((branch) => {
      const at = pointerOf(walk.after, branch);
      const sure = walk.side === "output" && isCertain(branch, undefined);
      const details = { after: walk.after.read(at), ...exclusive };
      const changes = walk.report("union-branch-added", at, details, { ...context, isCertain: sure });
      return walk.side === "output" ? judge(branch, changes) : changes;
    }),
  ];
}

interface ChangedBranch {
  readonly before: SchemaIR;
  /** The JSON Pointers of the rules of both versions. */
  readonly sites: readonly string[];
  readonly after: Union;
  /** The new union as one schema. */
  readonly whole: SchemaIR;
  readonly beside: readonly ObjectPair[];
}

/**
 * Returns whether the new union still accepts what a change of one branch removed: a property that another branch declares, or
 * a value of a property.
 */
function isKeptElsewhere(
  { before, sites, after, whole, beside }: ChangedBranch,
  walk: Walk,
): (change: PendingChange) => boolean {
  return ({ name, at, before: value }) => {
    const isOfValue = name === "enum-value-removed" && value !== undefined;
    if (name !== "property-removed" && !isOfValue) return false;
    const pointer = isOfValue ? parentOf(at) : at;
    const property = splitPointer(pointer).at(-1) ?? "";
    if (!sites.some((site) => joinPointer(site, "properties", property) === pointer)) return false;
    const isDeclared = after.members.some((member) => declares(flattenSchema(member, walk.after), property));
    const schema: SchemaIR = isOfValue ? { kind: "literal", at, values: [value] } : { kind: "any", at };
    const passed: ObjectNode = {
      ...anyObjectNode(at),
      required: [property],
      properties: [{ name: property, isRequired: true, isDeclared: isOfValue, schema }],
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
  before: Union,
  after: Union,
  context: VarianceContext,
  walk: Walk,
): readonly PendingChange[] {
  const isBoth = before.members.length > 1 && after.members.length > 1;
  if (!isBoth || before.isInclusive === after.isInclusive) return [];
  const details = { before: walk.before.read(before.at), after: walk.after.read(after.at) };
  const rule = before.isInclusive ? "constraint-added" : "constraint-removed";
  return walk.report(rule, after.at, details, context);
}

/** With more branches, only equal branches and branches with the same tag are paired. */
const MAX_COMPARED = 60;

/** Pairs the branches of two unions, regardless of their order: equal branches first, then the most similar. */
function pairBranches(unionBefore: Union, unionAfter: Union, walk: Walk): Pairing<SchemaIR> {
  const pairs: { readonly before: SchemaIR; readonly after: SchemaIR }[] = [];
  const removed = new Set(unionBefore.members);
  const added = new Set(unionAfter.members);
  const pair = (before: SchemaIR, after: SchemaIR): void => {
    pairs.push({ before, after });
    removed.delete(before);
    added.delete(after);
  };
  const byTerm = groupBy(added, (branch) => walk.after.term(branch).id);
  const writtenAs = (side: SchemaSide, branch: SchemaIR): JsonValue | undefined =>
    side.read(pointerOf(side, branch));
  // Prefer branches with equal text, then any that accept the same values.
  for (const isAlike of [isSameJson, () => true]) {
    for (const before of [...removed]) {
      const after = byTerm
        .get(walk.before.term(before).id)
        ?.find(
          (branch) =>
            added.has(branch) && isAlike(writtenAs(walk.before, before), writtenAs(walk.after, branch)),
        );
      if (after !== undefined) pair(before, after);
    }
  }
  const byTag = groupBy(
    [...added].flatMap((branch) => tagsOf(branch, walk.after).map((tag) => ({ tag, branch }))),
    ({ tag }) => tag,
  );
  for (const before of [...removed]) {
    const tagged = tagsOf(before, walk.before).flatMap((tag) => byTag.get(tag) ?? []);
    const after = tagged.find(({ branch }) => added.has(branch))?.branch;
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

/** The tags of a branch: required properties with a single possible value. */
function tagsOf(node: SchemaIR, side: SchemaSide): readonly string[] {
  const { object } = flattenSchema(side.follow(node), side);
  return (object?.properties ?? []).flatMap(({ name, isRequired, schema }) => {
    const values = isRequired ? flattenSchema(side.follow(schema), side).values?.value : undefined;
    return values?.length === 1 ? [canonicalJson([name, ...values])] : [];
  });
}

/** The similarity of two branches, from 0 to 1. */
function likeness(nodeBefore: SchemaIR, nodeAfter: SchemaIR, walk: Walk): number {
  const before = flattenSchema(walk.before.follow(nodeBefore), walk.before);
  const after = flattenSchema(walk.after.follow(nodeAfter), walk.after);
  const names = (flat: FlatSchema): readonly string[] =>
    (flat.object?.properties ?? []).map(({ name }) => name);
  if (names(before).length > 0 && names(after).length > 0) return share(names(before), names(after));
  // Enumerations without a common value are different branches.
  if (before.values !== undefined && after.values !== undefined)
    return share(before.values.value.map(canonicalJson), after.values.value.map(canonicalJson));
  const types = share([...(before.types ?? ALL_TYPE_NAMES)], [...(after.types ?? ALL_TYPE_NAMES)]);
  return before.values === after.values ? types / 2 : types / 4;
}

function share(before: readonly string[], after: readonly string[]): number {
  const all = new Set([...before, ...after]);
  const both = before.filter((type) => after.includes(type));
  return all.size === 0 ? 0 : both.length / all.size;
}

/** Returns the changes of rules that are compared as a whole: `not`, `if`, and rules that cannot be merged. */
export function diffConstraints(place: PlacePair, walk: Walk): readonly PendingChange[] {
  const { flatBefore, flatAfter, context } = place;
  const isSameKind = (before: Constraint, after: Constraint): boolean => before.node.kind === after.node.kind;
  const isSame = (before: Constraint, after: Constraint): boolean =>
    isSameKind(before, after) && walk.before.term(before.node) === walk.after.term(after.node);
  const { pairs, removed, added } = pairItems(
    flatBefore.constraints,
    flatAfter.constraints,
    isSame,
    isSameKind,
  );
  return [
    ...pairs.flatMap(({ before, after }) =>
      isSame(before, after) ? [] : diffConstraint(before, after, place, walk),
    ),
    ...removed.flatMap(({ at }) => reportRemoved(walk, at, context)),
    ...added.flatMap(({ at }) => reportAdded(walk, at, context)),
  ];
}

function diffConstraint(
  { node: before, at: atBefore }: Constraint,
  { node: after, at }: Constraint,
  place: PlacePair,
  walk: Walk,
): readonly PendingChange[] {
  if (before.kind === "not" && after.kind === "not")
    return walk.diff(before.schema, after.schema, EITHER_WAY);
  if (before.kind === "if" && after.kind === "if") return diffConditions(before, after, place, walk);
  if (before.kind !== "unevaluated" && after.kind !== "unevaluated")
    return walk.diff(before, after, place.context, besideOf(place));
  const details = { before: walk.before.read(atBefore), after: walk.after.read(at) };
  return walk.report("schema-changed", at, details, EITHER_WAY);
}

function diffConditions(
  before: IfNode,
  after: IfNode,
  place: PlacePair,
  walk: Walk,
): readonly PendingChange[] {
  const { context } = place;
  const isSame = walk.before.term(before.if) === walk.after.term(after.if);
  const inside = isSame ? { ...context, isCertain: false, isAlone: false } : EITHER_WAY;
  const branch = (key: "then" | "else"): readonly PendingChange[] => {
    const partBefore = before[key];
    const partAfter = after[key];
    if (partBefore === undefined && partAfter === undefined) return [];
    const at =
      partAfter === undefined ? joinPointer(parentOf(before.at), key) : pointerOf(walk.after, partAfter);
    const any: SchemaIR = { kind: "any", at };
    return walk.diff(partBefore ?? any, partAfter ?? any, inside, besideOf(place));
  };
  return [...walk.diff(before.if, after.if, EITHER_WAY), ...branch("then"), ...branch("else")];
}
