import { groupBy, pairItems } from "../../core/collections.js";
import { joinPointer } from "../../core/json-pointer.js";
import type { ObjectNode, Property, SchemaIR } from "../../core/schema-ir.js";
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
  const { was, is, context } = place;
  if (!allows(was, "object") || !allows(is, "object")) return [];
  if (was.isEnumeration || is.isEnumeration) return [];
  if (was.object === undefined && is.object === undefined) return [];
  const at = is.object?.at ?? was.object?.at ?? "";
  const empty: ObjectNode = {
    kind: "object",
    at,
    properties: [],
    required: [],
    patterns: [],
    dependents: [],
  };
  const pair: Objects = { old: was.object ?? empty, now: is.object ?? empty, place, context, walk };
  return [
    ...diffProperties(pair),
    ...diffAdditional(pair),
    ...diffPatterns(pair),
    ...diffNames(pair),
    ...diffDependents(pair),
  ];
}

function diffProperties(pair: Objects): readonly PendingChange[] {
  const { old, now } = pair;
  const [was, is] = [old, now].map(
    ({ properties }) => new Map(properties.map((property) => [property.name, property])),
  );
  const names = [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])];
  return names.flatMap((name) => diffProperty(name, was?.get(name), is?.get(name), pair));
}

function diffProperty(
  name: string,
  before: Property | undefined,
  after: Property | undefined,
  pair: Objects,
): readonly PendingChange[] {
  const { old, now, context, walk } = pair;
  const was = before?.isRequired === true;
  const is = after?.isRequired === true;
  const [oldSchema, nowSchema] = [before, after].map((property) =>
    property?.isDeclared === true ? property.schema : undefined,
  );
  const isNever = nowSchema !== undefined && walk.now.term(nowSchema).kind === "never";
  const wasNever = oldSchema !== undefined && walk.old.term(oldSchema).kind === "never";
  if (oldSchema === undefined && nowSchema !== undefined) {
    if (isNever && !was && !is && forbids(name, old, walk.old)) return [];
    const at = pointerOf(walk.now, nowSchema);
    const isGoverned = walk.side === "output" && governorsOf(name, pair).length > 0;
    const declared = isGoverned ? undefined : knownSchemaOf(name, before, pair);
    if (declared !== undefined) {
      const rule = walk.judge(
        { old: declared, now: nowSchema, context, beside: [] },
        reportAdded(walk, at, context),
      );
      return was === is ? rule : [...rule, ...diffRequirement(name, is, undefined, pair)];
    }
    const details = { after: walk.now.read(at) };
    const { rule, ...judged } = judgeAddition({ name, schema: nowSchema, isRequired: is && !was }, pair);
    const added = walk.report(rule, at, { ...details, ...judged }, context);
    return was && !is ? [...added, ...diffRequirement(name, is, undefined, pair)] : added;
  }
  if (oldSchema !== undefined && nowSchema === undefined) {
    if (wasNever && !was && !is && forbids(name, now, walk.now)) return [];
    const at = pointerOf(walk.old, oldSchema);
    const declared = declaredBeside(name, "now", pair);
    if (declared !== undefined) {
      const rule = walk.judge(
        { old: oldSchema, now: declared, context, beside: [] },
        reportRemoved(walk, at, context),
      );
      return was === is ? rule : [...rule, ...diffRequirement(name, is, undefined, pair)];
    }
    const isRequiredNow = !was && is ? diffRequirement(name, true, undefined, pair) : [];
    return [...walk.report("property-removed", at, { before: walk.old.read(at) }, context), ...isRequiredNow];
  }
  if (oldSchema === undefined || nowSchema === undefined) {
    return was === is ? [] : diffRequirement(name, is, undefined, pair);
  }
  const inside = walk.diff(oldSchema, nowSchema, context);
  if (was === is) return inside;
  return [...diffRequirement(name, is, pointerOf(walk.now, nowSchema), pair), ...inside];
}

/**
 * Returns the old schema of a property that callers may pass although this object did not declare it: `required` names it, or
 * a schema around, a branch or a condition does.
 */
function knownSchemaOf(name: string, before: Property | undefined, pair: Objects): SchemaIR | undefined {
  const declared = before?.schema ?? declaredBeside(name, "old", pair);
  if (declared !== undefined) return declared;
  const { old, beside } = pair.place;
  const isMentioned = pair.walk.namesPassed(old, beside).some((names) => names.has(name));
  return isMentioned ? { kind: "any", at: old.at } : undefined;
}

/** Returns the schema that a schema around has for a property of the same value. */
function declaredBeside(name: string, side: "old" | "now", { place }: Objects): SchemaIR | undefined {
  const properties = place.beside.flatMap((pair) => pair[side]?.properties ?? []);
  return properties.find((property) => property.name === name)?.schema;
}

/**
 * Reports a property that became required or optional, at its schema. If another schema lists it in `required`, or if it has
 * no schema, the change is in that list.
 */
function diffRequirement(
  name: string,
  is: boolean,
  schemaAt: string | undefined,
  { place, old, now, context, walk }: Objects,
): readonly PendingChange[] {
  const rule = is ? "property-became-required" : "property-became-optional";
  const [side, other] = is ? [walk.now, walk.old] : [walk.old, walk.now];
  const lists = (from: SchemaSide, site: string): boolean =>
    isListed(name, from.read(joinPointer(site, "required")));
  const [flat, otherFlat] = is ? [place.is, place.was] : [place.was, place.is];
  const site = [...flat.sites].find(
    (each) => lists(side, each) && !(otherFlat.sites.has(each) && lists(other, each)),
  );
  const isDeclaredThere = site !== undefined && schemaAt === joinPointer(site, "properties", name);
  // Where the direction of a change is not known, its rule does not say that two flags are about `required`.
  const isFlag = context.isMonotone || site === undefined;
  if (schemaAt !== undefined && isFlag && (site === undefined || isDeclaredThere))
    return walk.report(rule, schemaAt, { before: !is, after: is }, context);
  const at = joinPointer(site ?? (is ? now : old).at, "required");
  return walk.report(rule, at, is ? { after: name } : { before: name }, context);
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
  const isClosed = governors.some((governor) => walk.old.term(governor).kind === "never");
  const reason = "The schema for undeclared properties applied to this property before.";
  if (walk.side === "output") {
    if (isClosed) return { rule: "property-added-to-closed" };
    const isFine = governors.every((governor) => walk.isSafe(governor, schema));
    return isFine ? { rule } : { rule, class: "unknown", reason };
  }
  if (isClosed || governors.length === 0) return { rule };
  const [governor] = governors;
  const isFine = governors.length === 1 && governor !== undefined && walk.isSafe(governor, schema);
  return { rule, class: isFine ? "dangerous" : "unknown", reason };
}

function diffAdditional(pair: Objects): readonly PendingChange[] {
  const { old, now, place, context, walk } = pair;
  const before = old.additional;
  const after = now.additional;
  const site = after === undefined ? siteOfOthers(old, walk.old) : siteOfOthers(now, walk.now);
  const [changed] = walk.listChangedKeywords(place, "/additionalProperties", "/unevaluatedProperties");
  const at = walk.isChangedAt(site) ? site : (changed?.at ?? site);
  const was = kindOf(before, walk.old);
  const is = kindOf(after, walk.now);
  const details = { before: walk.old.read(at), after: walk.now.read(at) };
  if (was === "never" && is === "never") return [];
  if (is === "never")
    return walk.report("additional-properties-closed", at, { ...details, ...judgeClosing(pair) }, context);
  if (was === "never") return walk.report("additional-properties-opened", at, details, context);
  if (before !== undefined && after !== undefined) return walk.diff(before, after, context);
  if (was === is) return [];
  return walk.report(was === "any" ? "constraint-added" : "constraint-removed", at, details, context);
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
  const { old, walk } = pair;
  if (walk.side === "output") return {};
  const isSilent = walk.old.read(siteOfOthers(old, walk.old)) === undefined;
  if (!isSilent) return { class: "breaking", reason: "The schema explicitly allowed undeclared properties." };
  if (old.properties.length === 0 && old.at !== "")
    return { class: "breaking", reason: "The object declared no properties, so callers could pass any." };
  const name = nameRefused(pair);
  if (name === undefined) return {};
  return {
    class: "breaking",
    reason: `Another part of the schema names the property ${JSON.stringify(name)}.`,
  };
}

/** Returns a property that callers may pass although this object does not declare it, and that the closed object refuses. */
function nameRefused({ old, now, place, walk }: Objects): string | undefined {
  const declared = new Set(
    [...old.properties, ...now.properties].flatMap(({ name, isDeclared }) => (isDeclared ? name : [])),
  );
  return walk
    .namesPassed(place.old, place.beside)
    .flatMap((names) => [...names])
    .find((name) => !declared.has(name) && forbids(name, now, walk.now));
}

function kindOf(node: SchemaIR | undefined, side: SchemaSide): "any" | "never" | "some" {
  const term = node === undefined ? "any" : side.term(node).kind;
  return term === "any" || term === "never" ? term : "some";
}

function diffPatterns(pair: Objects): readonly PendingChange[] {
  const { old, now, context, walk } = pair;
  const [was, is] = [old, now].map(({ patterns }) => byOccurrence(patterns, ({ pattern }) => pattern));
  return [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])].flatMap((key) => {
    const before = was?.get(key)?.schema;
    const after = is?.get(key)?.schema;
    // A pattern also exempts its names from a rule for additional properties.
    const isAlone = [old.additional, now.additional].every(
      (node) => node === undefined || node.kind === "any",
    );
    const isKept = before !== undefined && after !== undefined;
    const unknown = EITHER_WAY;
    return diffPart(before, after, isKept || isAlone ? context : unknown, walk);
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

function diffNames({ old, now, context, walk }: Objects): readonly PendingChange[] {
  return diffPart(namesOf(old, walk.old), namesOf(now, walk.now), context, walk);
}

function namesOf({ names }: ObjectNode, side: SchemaSide): SchemaIR | undefined {
  return names === undefined || isOfEveryName(side.term(names)) ? undefined : names;
}

/** The rules for objects of two schemas at one place. */
interface Objects {
  readonly old: ObjectNode;
  readonly now: ObjectNode;
  readonly place: PlacePair;
  readonly context: VarianceContext;
  readonly walk: Walk;
}

function diffDependents(pair: Objects): readonly PendingChange[] {
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
  const was = namesOf(rules.was);
  const is = namesOf(rules.is);
  const added = [...is].find((each) => !was.has(each));
  const removed = [...was].find((each) => !is.has(each));
  const report = (rule: string | undefined, isNow: boolean): readonly PendingChange[] => {
    if (rule === undefined) return [];
    // The list that has the name; another list for the same name may have changed without effect.
    const { sites } = isNow ? place.is : place.was;
    const at = [...sites]
      .flatMap((site) => DEPENDENTS.map((keyword) => joinPointer(site, keyword, name)))
      .find((pointer) => isListed(rule, (isNow ? walk.now : walk.old).read(pointer)));
    const isAbsent = isNow ? was.size === 0 : is.size === 0;
    return reportDependent(isNow, name, at ?? (isNow ? now : old).at, isAbsent, pair);
  };
  return [...report(added, true), ...report(removed, false)];
}

function diffDependentSchemas(name: string, rules: Rules, pair: Objects): readonly PendingChange[] {
  const { context, place, walk } = pair;
  const [was, is] = [rules.was, rules.is].map((all) => all.flatMap(({ schema }) => schema ?? []));
  const { pairs, removed, added } = pairItems(
    was ?? [],
    is ?? [],
    (before, after) => pointerOf(walk.old, before) === pointerOf(walk.now, after),
    () => true,
  );
  return [
    ...pairs.flatMap(({ before, after }) => walk.diff(before, after, context, besideOf(place))),
    ...removed.flatMap((dependent) =>
      reportDependent(false, name, pointerOf(walk.old, dependent), true, pair),
    ),
    ...added.flatMap((dependent) => reportDependent(true, name, pointerOf(walk.now, dependent), true, pair)),
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
    before: isAdded && isWhole ? undefined : walk.old.read(at),
    after: !isAdded && isWhole ? undefined : walk.now.read(at),
  };
  const isNew = isAdded && walk.side === "input" && !mayHave(name, pair);
  const rule = isAdded ? "constraint-added" : "constraint-removed";
  return walk.report(rule, at, isNew ? { ...details, class: "safe" } : details, context);
}

/**
 * The schemas that applied to an undeclared property, except schemas that accept every value. In an input, those of the
 * schemas around as well.
 */
function governorsOf(name: string, { old, place, walk }: Objects): readonly SchemaIR[] {
  const around = walk.side === "input" ? place.beside.flatMap((pair) => pair.old ?? []) : [];
  return [old, ...around].flatMap((node) => governorsIn(name, node));
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
  const { old, walk } = pair;
  const before = old.properties.find((property) => property.name === name);
  return (
    knownSchemaOf(name, before, pair) !== undefined ||
    governorsOf(name, pair).some((governor) => walk.old.term(governor).kind !== "never")
  );
}

/** Whether an object certainly forbids an undeclared property. */
function forbids(name: string, { patterns, additional }: ObjectNode, side: SchemaSide): boolean {
  const isClosed = additional !== undefined && side.term(additional).kind === "never";
  const all = patterns.map(({ pattern }) => pattern);
  return isClosed && isCovered(name, new Set(), all) === false;
}
