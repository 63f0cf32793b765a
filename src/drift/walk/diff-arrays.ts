import type { ArrayNode, Contains, SchemaIR } from "../../core/schema-ir.js";
import { joinPointer } from "../../core/json-pointer.js";
import { allows } from "./diff-values.js";
import { pointerOf } from "./schema-side.js";
import { EITHER_WAY, type PendingChange, type PlacePair, type VarianceContext, type Walk } from "./walk.js";

/** Returns the changes of the rules for the items of arrays. */
export function diffArrays(place: PlacePair, walk: Walk): readonly PendingChange[] {
  const { was, is, context } = place;
  if (!allows(was, "array") || !allows(is, "array")) return [];
  if (was.isEnumeration || is.isEnumeration) return [];
  const [old, now] = [was.array, is.array];
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
  const [wasNone, isNone] = [
    old !== undefined && walk.old.term(old).kind === "never",
    now !== undefined && walk.now.term(now).kind === "never",
  ];
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
  const [old, now] = [was?.contains, is?.contains];
  const at = joinPointer((now === undefined ? was?.at : is?.at) ?? "", "contains");
  const details = {
    before: old && walk.old.read(joinPointer(was?.at ?? "", "contains")),
    after: now && walk.now.read(joinPointer(is?.at ?? "", "contains")),
  };
  if (old === undefined)
    return now === undefined ? [] : walk.report("constraint-added", at, details, context);
  if (now === undefined) return walk.report("constraint-removed", at, details, context);
  if (!isBounded(old) && !isBounded(now) && old.min === now.min)
    return walk.diff(old.schema, now.schema, context);
  // With `maxContains`, a wider schema for the items makes the array's schema narrower.
  const inside = walk.diff(old.schema, now.schema, EITHER_WAY);
  const count = (keyword: "minContains" | "maxContains"): readonly PendingChange[] => {
    const [before, after] = [walk.old, walk.now].map((side) =>
      side.read(joinPointer((side === walk.old ? was : is)?.at ?? "", keyword)),
    );
    const [one, other] =
      keyword === "minContains" ? [now.min, old.min] : [old.max ?? Infinity, now.max ?? Infinity];
    if (one === other) return [];
    const pointer = joinPointer((after === undefined ? was?.at : is?.at) ?? "", keyword);
    return walk.report(
      one > other ? "bound-tightened" : "bound-loosened",
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
