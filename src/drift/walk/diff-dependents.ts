import type { ObjectNode, SchemaIR } from "../../core/schema-ir.js";
import { groupBy } from "../../core/collections.js";
import { joinPointer } from "../../core/json-pointer.js";
import { isListed, pointerOf, type SchemaSide } from "./schema-side.js";
import type { PendingChange, PlacePair, VarianceContext, Walk } from "./walk.js";
import { isCovered } from "../inclusion/evaluate-term.js";

/** The rules for objects of two schemas at one place. */
export interface Objects {
  readonly old: ObjectNode;
  readonly now: ObjectNode;
  readonly place: PlacePair;
  readonly context: VarianceContext;
  readonly walk: Walk;
}

/** Returns the changes of rules that apply if a property is present. */
export function diffDependents(pair: Objects): readonly PendingChange[] {
  // One name may have two rules: required names and a schema.
  const [old, now] = [pair.old, pair.now].map(({ dependents }) => groupBy(dependents, ({ name }) => name));
  return [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])].flatMap((name) => {
    const rules: Rules = { was: old?.get(name) ?? [], is: now?.get(name) ?? [] };
    return [...diffDependentNames(name, rules, pair), ...diffDependentSchemas(name, rules, pair)];
  });
}

interface Rules {
  readonly was: ObjectNode["dependents"];
  readonly is: ObjectNode["dependents"];
}

const DEPENDENTS = ["dependentRequired", "dependentSchemas", "dependencies"] as const;

function diffDependentNames(name: string, rules: Rules, pair: Objects): readonly PendingChange[] {
  const { old, now, place, walk } = pair;
  const namesOf = (all: ObjectNode["dependents"]): ReadonlySet<string> =>
    new Set(all.flatMap(({ required }) => required));
  const [was, is] = [namesOf(rules.was), namesOf(rules.is)];
  const added = [...is].find((each) => !was.has(each));
  const removed = [...was].find((each) => !is.has(each));
  const one = added ?? removed;
  if (one === undefined) return [];
  const isNow = added !== undefined;
  // The list that has the name; another list for the same name may have changed without effect.
  const { sites } = isNow ? place.is : place.was;
  const at = sites
    .flatMap((site) => DEPENDENTS.map((keyword) => joinPointer(site, keyword, name)))
    .find((pointer) => isListed(one, (isNow ? walk.now : walk.old).read(pointer)));
  const isAbsent = isNow ? was.size === 0 : is.size === 0;
  return reportDependent(isNow, name, at ?? (isNow ? now : old).at, isAbsent, pair);
}

function diffDependentSchemas(name: string, rules: Rules, pair: Objects): readonly PendingChange[] {
  const { context, walk } = pair;
  const schemasOf = (all: ObjectNode["dependents"]): Set<SchemaIR> =>
    new Set(all.flatMap(({ schema }) => schema ?? []));
  const removed = schemasOf(rules.was);
  const added = schemasOf(rules.is);
  const changes: PendingChange[] = [];
  const isSamePlace = (one: SchemaIR, other: SchemaIR): boolean =>
    pointerOf(walk.old, one) === pointerOf(walk.now, other);
  for (const isPair of [isSamePlace, () => true]) {
    for (const before of removed) {
      const after = [...added].find((each) => isPair(before, each));
      if (after === undefined) continue;
      removed.delete(before);
      added.delete(after);
      changes.push(...walk.diff(before, after, context));
    }
  }
  return [
    ...changes,
    ...[...removed].flatMap((one) => reportDependent(false, name, pointerOf(walk.old, one), true, pair)),
    ...[...added].flatMap((one) => reportDependent(true, name, pointerOf(walk.now, one), true, pair)),
  ];
}

/** Reports a rule about the presence of a property. It is safe if callers cannot have passed the property before. */
function reportDependent(
  isAdded: boolean,
  name: string,
  at: string,
  isWhole: boolean,
  { old, context, walk }: Objects,
): readonly PendingChange[] {
  const details = {
    before: isAdded && isWhole ? undefined : walk.old.read(at),
    after: !isAdded && isWhole ? undefined : walk.now.read(at),
  };
  const isNew = isAdded && walk.side === "input" && !mayHave(name, old, walk.old);
  const rule = isAdded ? "constraint-added" : "constraint-removed";
  return walk.report(rule, at, isNew ? { ...details, class: "safe" } : details, context);
}

/** The schemas that applied to an undeclared property, except schemas that accept every value. */
export function governorsOf(name: string, node: ObjectNode): readonly SchemaIR[] {
  const patterns = node.patterns.map(({ pattern }) => pattern);
  const matching = node.patterns.filter(({ pattern }) => isCovered(name, new Set(), [pattern]) !== false);
  const isLeftOver = isCovered(name, new Set(), patterns) !== true;
  const { additional } = node;
  return [
    ...matching.map(({ schema }) => schema),
    ...(isLeftOver && additional !== undefined && additional.kind !== "any" ? [additional] : []),
  ];
}

/** Whether callers may pass a property: they pass none that an open object does not name. */
function mayHave(name: string, node: ObjectNode, side: SchemaSide): boolean {
  return (
    node.properties.some((property) => property.name === name) ||
    governorsOf(name, node).some((governor) => side.term(governor).kind !== "never")
  );
}

/** Whether an object certainly forbids an undeclared property. */
export function forbids(name: string, { patterns, additional }: ObjectNode, side: SchemaSide): boolean {
  const isClosed = additional !== undefined && side.term(additional).kind === "never";
  const all = patterns.map(({ pattern }) => pattern);
  return isClosed && isCovered(name, new Set(), all) === false;
}
