import { canonicalJson } from "../contract/canonical-json.js";
import type { JsonValue } from "../contract/json.js";
import type { SchemaIR } from "../contract/schema-ir.js";
import { pointerOf } from "./diff-objects.js";
import { isEqual } from "./is-equal.js";
import { flattenSchema } from "./flatten-schema.js";
import { ALL_TYPES, type FlatSchema } from "./flat-schema.js";
import type { SchemaSide } from "./schema-side.js";
import type { SchemaWalk } from "./schema-walk.js";

/** A branch of a union, before and after. */
export interface Branch {
  readonly before: SchemaIR;
  readonly after: SchemaIR;
}

export interface Pairing {
  readonly pairs: readonly Branch[];
  readonly removed: readonly SchemaIR[];
  readonly added: readonly SchemaIR[];
}

/** With more branches, only equal branches and branches with the same tag are paired. */
const MAX_COMPARED = 60;

/** Pairs the branches of two unions, regardless of their order: equal branches first, then the most similar. */
export function pairBranches(old: readonly SchemaIR[], now: readonly SchemaIR[], walk: SchemaWalk): Pairing {
  const pairs: Branch[] = [];
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
  for (const isAlike of [isEqual, () => true]) {
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
function likeness(before: SchemaIR, after: SchemaIR, walk: SchemaWalk): number {
  const old = flattenSchema(walk.old.follow(before), walk.old);
  const now = flattenSchema(walk.now.follow(after), walk.now);
  const names = (flat: FlatSchema): readonly string[] =>
    (flat.object?.properties ?? []).map(({ name }) => name);
  if (names(old).length > 0 && names(now).length > 0) return share(names(old), names(now));
  // Enumerations without a common value are different branches.
  if (old.values !== undefined && now.values !== undefined)
    return share(old.values.value.map(canonicalJson), now.values.value.map(canonicalJson));
  return share([...(old.types ?? ALL_TYPES)], [...(now.types ?? ALL_TYPES)]) / 2;
}

function share(old: readonly string[], now: readonly string[]): number {
  const all = new Set([...old, ...now]);
  const both = old.filter((one) => now.includes(one));
  return all.size === 0 ? 0 : both.length / all.size;
}
