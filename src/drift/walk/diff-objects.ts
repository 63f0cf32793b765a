import { groupBy, pairItems } from "../../core/collections.js";
import { joinPointer } from "../../core/json-pointer.js";
import type { ObjectNode, Property, SchemaIR } from "../../core/schema-ir.js";
import { anyObjectNode } from "../../schema/ir/node-types.js";
import { isOfEveryName } from "../inclusion/compile-term.js";
import { isCovered } from "../inclusion/evaluate-term.js";
import { allows } from "./diff-values.js";
import { isListed, pointerOf, type SchemaSide } from "./schema-side.js";
import {
  besideOf,
  diffPart,
  EITHER_WAY,
  type PendingChange,
  type PendingChangeDetails,
  type PlacePair,
  reportAdded,
  reportRemoved,
  type VarianceContext,
  type Walk,
} from "./walk.js";

/** Returns the changes of the rules for objects. */
export function diffObjects(place: PlacePair, walk: Walk): readonly PendingChange[] {
  const { flatBefore: before, flatAfter: after, context } = place;
  if (!allows(before, "object") || !allows(after, "object")) return [];
  if (before.isEnumeration || after.isEnumeration) return [];
  if (before.object === undefined && after.object === undefined) return [];
  const any = anyObjectNode(after.object?.at ?? before.object?.at ?? "");
  const pair: Objects = { before: before.object ?? any, after: after.object ?? any, place, context, walk };
  return [
    ...diffProperties(pair),
    ...diffAdditional(pair),
    ...diffPatterns(pair),
    ...diffNames(pair),
    ...diffDependents(pair),
  ];
}

function diffProperties(pair: Objects): readonly PendingChange[] {
  const before = new Map(pair.before.properties.map((property) => [property.name, property]));
  const after = new Map(pair.after.properties.map((property) => [property.name, property]));
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.flatMap((name) => diffProperty(name, before.get(name), after.get(name), pair));
}

function diffProperty(
  name: string,
  before: Property | undefined,
  after: Property | undefined,
  pair: Objects,
): readonly PendingChange[] {
  const { context, walk } = pair;
  const wasRequired = before?.isRequired === true;
  const isRequired = after?.isRequired === true;
  const [schemaBefore, schemaAfter] = [before, after].map((property) =>
    property?.isDeclared === true ? property.schema : undefined,
  );
  const requirement = wasRequired === isRequired ? [] : diffRequirement(name, isRequired, undefined, pair);
  const isNever = schemaAfter !== undefined && walk.after.term(schemaAfter).kind === "never";
  const wasNever = schemaBefore !== undefined && walk.before.term(schemaBefore).kind === "never";
  if (schemaBefore === undefined && schemaAfter !== undefined) {
    if (isNever && !wasRequired && !isRequired && forbids(name, pair.before, walk.before)) return [];
    const at = pointerOf(walk.after, schemaAfter);
    const isGoverned = walk.side === "output" && governorsOf(name, pair).length > 0;
    const declared = isGoverned ? undefined : knownSchemaOf(name, before, pair);
    if (declared !== undefined) {
      const rule = walk.judge(
        { before: declared, after: schemaAfter, context, beside: [] },
        reportAdded(walk, at, context),
      );
      return [...rule, ...requirement];
    }
    const addition = { name, schema: schemaAfter, isRequired: isRequired && !wasRequired };
    const { rule, ...judged } = judgeAddition(addition, pair);
    const added = walk.report(rule, at, { after: walk.after.read(at), ...judged }, context);
    return wasRequired ? [...added, ...requirement] : added;
  }
  if (schemaBefore !== undefined && schemaAfter === undefined) {
    if (wasNever && !wasRequired && !isRequired && forbids(name, pair.after, walk.after)) return [];
    const at = pointerOf(walk.before, schemaBefore);
    const around = propertyBeside(name, "after", pair);
    if (around?.isDeclared === true) {
      const rule = walk.judge(
        { before: schemaBefore, after: around.schema, context, beside: [] },
        reportRemoved(walk, at, context),
      );
      return [...rule, ...requirement];
    }
    const removed = walk.report("property-removed", at, { before: walk.before.read(at) }, context);
    return isRequired ? [...removed, ...requirement] : removed;
  }
  if (schemaBefore === undefined || schemaAfter === undefined) return requirement;
  const inside = walk.diff(schemaBefore, schemaAfter, context);
  if (wasRequired === isRequired) return inside;
  return [...diffRequirement(name, isRequired, pointerOf(walk.after, schemaAfter), pair), ...inside];
}

/**
 * Returns the old schema of a property that callers may pass although this object did not declare it: `required` names it, or
 * a schema around, a branch or a condition does.
 */
function knownSchemaOf(name: string, property: Property | undefined, pair: Objects): SchemaIR | undefined {
  const named = property ?? propertyBeside(name, "before", pair);
  if (named !== undefined) return named.schema;
  const { before, beside } = pair.place;
  const isMentioned = pair.walk.namesPassed(before, beside).some((names) => names.has(name));
  return isMentioned ? { kind: "any", at: before.at } : undefined;
}

/** Returns a property that a schema around declares or requires for the same value. */
function propertyBeside(name: string, side: "before" | "after", { place }: Objects): Property | undefined {
  const properties = place.beside.flatMap((pair) => pair[side]?.properties ?? []);
  return properties.find((property) => property.name === name);
}

/**
 * Reports a property that became required or optional, at its schema. If another schema lists it in `required`, or if it has
 * no schema, the change is in that list.
 */
function diffRequirement(
  name: string,
  isRequired: boolean,
  schemaAt: string | undefined,
  { place, before, after, context, walk }: Objects,
): readonly PendingChange[] {
  const rule = isRequired ? "property-became-required" : "property-became-optional";
  const [side, other] = isRequired ? [walk.after, walk.before] : [walk.before, walk.after];
  const lists = (from: SchemaSide, site: string): boolean =>
    isListed(name, from.read(joinPointer(site, "required")));
  const flat = isRequired ? place.flatAfter : place.flatBefore;
  const otherFlat = isRequired ? place.flatBefore : place.flatAfter;
  const site = [...flat.sites].find(
    (each) => lists(side, each) && !(otherFlat.sites.has(each) && lists(other, each)),
  );
  const isDeclaredThere = site !== undefined && schemaAt === joinPointer(site, "properties", name);
  // Where the direction of a change is not known, its rule does not say that two flags are about `required`.
  const isFlag = context.isMonotone || site === undefined;
  if (schemaAt !== undefined && isFlag && (site === undefined || isDeclaredThere))
    return walk.report(rule, schemaAt, { before: !isRequired, after: isRequired }, context);
  const at = joinPointer(site ?? (isRequired ? after : before).at, "required");
  return walk.report(rule, at, isRequired ? { after: name } : { before: name }, context);
}

interface Addition {
  readonly name: string;
  readonly schema: SchemaIR;
  readonly isRequired: boolean;
}

interface JudgedAddition extends PendingChangeDetails {
  readonly rule: "required-property-added" | "optional-property-added" | "property-added-to-closed";
}

/**
 * Returns the rule and class for a new property. In an output, it makes no difference to callers whether the property is
 * required, but it does how the old object treated undeclared properties. If it had a schema for them, values of that
 * schema may not fit the new property.
 */
function judgeAddition({ name, schema, isRequired }: Addition, pair: Objects): JudgedAddition {
  const { walk } = pair;
  const rule = isRequired ? "required-property-added" : "optional-property-added";
  if (isRequired && walk.side === "input") return { rule };
  const governors = governorsOf(name, pair);
  const isClosed = governors.some((governor) => walk.before.term(governor).kind === "never");
  const reason = "The schema for undeclared properties applied to this property before.";
  if (walk.side === "output") {
    if (isClosed) return { rule: "property-added-to-closed" };
    const isFine = governors.every((governor) => walk.isSafe(governor, schema));
    return isFine ? { rule } : { rule, class: "unknown", reason };
  }
  if (isClosed || governors.length === 0) return { rule, isAssumed: true };
  const [governor] = governors;
  const isFine = governors.length === 1 && governor !== undefined && walk.isSafe(governor, schema);
  return { rule, class: isFine ? "dangerous" : "unknown", reason };
}

function diffAdditional(pair: Objects): readonly PendingChange[] {
  const { before, after, place, context, walk } = pair;
  const restBefore = before.additional;
  const restAfter = after.additional;
  const site = restAfter === undefined ? siteOfOthers(before, walk.before) : siteOfOthers(after, walk.after);
  const [changed] = walk.listChangedKeywords(place, "/additionalProperties", "/unevaluatedProperties");
  const at = walk.isChangedAt(site) ? site : (changed?.at ?? site);
  const kindBefore = kindOf(restBefore, walk.before);
  const kindAfter = kindOf(restAfter, walk.after);
  const details = { before: walk.before.read(at), after: walk.after.read(at) };
  if (kindBefore === "never" && kindAfter === "never") return [];
  if (kindAfter === "never")
    return walk.report("additional-properties-closed", at, { ...details, ...judgeClosing(pair) }, context);
  if (kindBefore === "never") return walk.report("additional-properties-opened", at, details, context);
  if (restBefore !== undefined && restAfter !== undefined) return walk.diff(restBefore, restAfter, context);
  if (kindBefore === kindAfter) return [];
  return walk.report(kindBefore === "any" ? "constraint-added" : "constraint-removed", at, details, context);
}

function siteOfOthers(node: ObjectNode, side: SchemaSide): string {
  const pointer = joinPointer(node.at, "additionalProperties");
  const whole = joinPointer(node.at, "unevaluatedProperties");
  return side.read(pointer) === undefined && side.read(whole) !== undefined ? whole : pointer;
}

/**
 * Classifies a closed object. An input that declares its properties accepts others only because JSON Schema is open by
 * default. An input that explicitly allows others, or declares none, as a map does, expects them. So does one whose callers
 * pass a property that a schema around it or a part of it names.
 */
function judgeClosing(pair: Objects): PendingChangeDetails {
  const { before, walk } = pair;
  if (walk.side === "output") return {};
  const isSilent = walk.before.read(siteOfOthers(before, walk.before)) === undefined;
  if (!isSilent) return { class: "breaking", reason: "The schema explicitly allowed undeclared properties." };
  if (before.properties.length === 0 && before.at !== "")
    return { class: "breaking", reason: "The object declared no properties, so callers could pass any." };
  const name = nameRefused(pair);
  if (name === undefined) return {};
  return {
    class: "breaking",
    reason: `Another part of the schema names the property ${JSON.stringify(name)}.`,
  };
}

/** Returns a property that callers may pass although this object does not declare it, and that the closed object refuses. */
function nameRefused({ before, after, place, walk }: Objects): string | undefined {
  const declared = new Set(
    [...before.properties, ...after.properties].flatMap(({ name, isDeclared }) => (isDeclared ? name : [])),
  );
  return walk
    .namesPassed(place.before, place.beside)
    .flatMap((names) => [...names])
    .find((name) => !declared.has(name) && forbids(name, after, walk.after));
}

function kindOf(node: SchemaIR | undefined, side: SchemaSide): "any" | "never" | "some" {
  const term = node === undefined ? "any" : side.term(node).kind;
  return term === "any" || term === "never" ? term : "some";
}

function diffPatterns(pair: Objects): readonly PendingChange[] {
  const { before, after, context, walk } = pair;
  const patternsBefore = byOccurrence(before.patterns, ({ pattern }) => pattern);
  const patternsAfter = byOccurrence(after.patterns, ({ pattern }) => pattern);
  // A pattern also exempts its names from a rule for additional properties.
  const isAlone = [before.additional, after.additional].every((node) => (node?.kind ?? "any") === "any");
  return [...new Set([...patternsBefore.keys(), ...patternsAfter.keys()])].flatMap((key) => {
    const schemaBefore = patternsBefore.get(key)?.schema;
    const schemaAfter = patternsAfter.get(key)?.schema;
    const isKept = schemaBefore !== undefined && schemaAfter !== undefined;
    return diffPart(schemaBefore, schemaAfter, isKept || isAlone ? context : EITHER_WAY, walk);
  });
}

/** Parts of an `allOf` may have rules for the same key: the first of one schema is compared with the first of the other. */
function byOccurrence<T>(rules: readonly T[], keyOf: (rule: T) => string): ReadonlyMap<string, T> {
  const counts = new Map<string, number>();
  return new Map(
    rules.map((rule) => {
      const key = keyOf(rule);
      const count = counts.get(key) ?? 0;
      counts.set(key, count + 1);
      return [`${count} ${key}`, rule];
    }),
  );
}

function diffNames({ before, after, context, walk }: Objects): readonly PendingChange[] {
  return diffPart(namesOf(before, walk.before), namesOf(after, walk.after), context, walk);
}

function namesOf({ names }: ObjectNode, side: SchemaSide): SchemaIR | undefined {
  return names === undefined || isOfEveryName(side.term(names)) ? undefined : names;
}

/** The rules for objects of two schemas at one place. */
interface Objects {
  readonly before: ObjectNode;
  readonly after: ObjectNode;
  readonly place: PlacePair;
  readonly context: VarianceContext;
  readonly walk: Walk;
}

function diffDependents(pair: Objects): readonly PendingChange[] {
  // One name may have two rules: required names and a schema.
  const before = groupBy(pair.before.dependents, ({ name }) => name);
  const after = groupBy(pair.after.dependents, ({ name }) => name);
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const rules: Rules = { before: before.get(name) ?? [], after: after.get(name) ?? [] };
    return [...diffDependentNames(name, rules, pair), ...diffDependentSchemas(name, rules, pair)];
  });
}

interface Rules {
  readonly before: ObjectNode["dependents"];
  readonly after: ObjectNode["dependents"];
}

const DEPENDENTS = ["dependentRequired", "dependentSchemas", "dependencies"] as const;

function diffDependentNames(name: string, rules: Rules, pair: Objects): readonly PendingChange[] {
  const { before, after, place, walk } = pair;
  const namesOf = (all: ObjectNode["dependents"]): ReadonlySet<string> =>
    new Set(all.flatMap(({ required }) => required));
  const namesBefore = namesOf(rules.before);
  const namesAfter = namesOf(rules.after);
  const added = [...namesAfter].find((each) => !namesBefore.has(each));
  const removed = [...namesBefore].find((each) => !namesAfter.has(each));
  const report = (rule: string | undefined, isNow: boolean): readonly PendingChange[] => {
    if (rule === undefined) return [];
    // The list that has the name; another list for the same name may have changed without effect.
    const { sites } = isNow ? place.flatAfter : place.flatBefore;
    const at = [...sites]
      .flatMap((site) => DEPENDENTS.map((keyword) => joinPointer(site, keyword, name)))
      .find((pointer) => isListed(rule, (isNow ? walk.after : walk.before).read(pointer)));
    const isAbsent = isNow ? namesBefore.size === 0 : namesAfter.size === 0;
    return reportDependent(isNow, name, at ?? (isNow ? after : before).at, isAbsent, pair);
  };
  return [...report(added, true), ...report(removed, false)];
}

function diffDependentSchemas(name: string, rules: Rules, pair: Objects): readonly PendingChange[] {
  const { context, place, walk } = pair;
  const { pairs, removed, added } = pairItems(
    rules.before.flatMap(({ schema }) => schema ?? []),
    rules.after.flatMap(({ schema }) => schema ?? []),
    (before, after) => pointerOf(walk.before, before) === pointerOf(walk.after, after),
    () => true,
  );
  return [
    ...pairs.flatMap(({ before, after }) => walk.diff(before, after, context, besideOf(place))),
    ...removed.flatMap((schema) => reportDependent(false, name, pointerOf(walk.before, schema), true, pair)),
    ...added.flatMap((schema) => reportDependent(true, name, pointerOf(walk.after, schema), true, pair)),
  ];
}

/** Reports a rule about the presence of a property. It is safe if callers cannot have passed the property before. */
function reportDependent(
  isAdded: boolean,
  name: string,
  at: string,
  isWhole: boolean,
  pair: Objects,
): readonly PendingChange[] {
  const { context, walk } = pair;
  const details = {
    before: isAdded && isWhole ? undefined : walk.before.read(at),
    after: !isAdded && isWhole ? undefined : walk.after.read(at),
  };
  const isNew = isAdded && walk.side === "input" && !mayHave(name, pair);
  const rule = isAdded ? "constraint-added" : "constraint-removed";
  return walk.report(rule, at, isNew ? { ...details, class: "safe", isAssumed: true } : details, context);
}

/**
 * The schemas that applied to an undeclared property, except schemas that accept every value. In an input, those of the
 * schemas around as well.
 */
function governorsOf(name: string, { before, place, walk }: Objects): readonly SchemaIR[] {
  const around = walk.side === "input" ? place.beside.flatMap((pair) => pair.before ?? []) : [];
  return [before, ...around].flatMap((node) => governorsIn(name, node));
}

function governorsIn(name: string, node: ObjectNode): readonly SchemaIR[] {
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
function mayHave(name: string, pair: Objects): boolean {
  const { before, walk } = pair;
  const property = before.properties.find((each) => each.name === name);
  return (
    knownSchemaOf(name, property, pair) !== undefined ||
    governorsOf(name, pair).some((governor) => walk.before.term(governor).kind !== "never")
  );
}

/** Whether an object certainly forbids an undeclared property. */
function forbids(name: string, { patterns, additional }: ObjectNode, side: SchemaSide): boolean {
  const isClosed = additional !== undefined && side.term(additional).kind === "never";
  const all = patterns.map(({ pattern }) => pattern);
  return isClosed && isCovered(name, new Set(), all) === false;
}
