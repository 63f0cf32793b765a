import { McpCodegenError } from "../../core/errors.js";
import type { JsonValue } from "../../core/json.js";
import { isSameJson, joinPointer, splitPointer } from "../../core/json-pointer.js";
import type { Spend } from "../../schema/pattern/pattern-tree.js";
import type { WitnessAnswer, WitnessPair } from "../unconfirmed-change.js";
import { SIDED_RULES } from "../rules.js";
import { TermCompiler } from "../inclusion/compile-term.js";
import { matchPattern } from "../../schema/pattern/match-pattern.js";
import { Prover } from "../inclusion/prover.js";
import { TermTable } from "../inclusion/term.js";
import {
  fillRequired,
  findDifferences,
  type InstancePlace,
  isEnumeratedAt,
  listPlaces,
  requiredAt,
  valuesIn,
} from "./instance-places.js";
import { findNear, findRoutesInPair, type Route } from "./find-near.js";
import { type Proposal, proposeInstances } from "./propose-instances.js";
import {
  expandParts,
  type InstanceStep,
  itemParts,
  propertyPatterns,
  declaredProperties,
  propertyParts,
  type SchemaPart,
} from "../../schema/sample/schema-part.js";
import { sizeOf } from "../../core/steps.js";
import {
  createSchemaReader,
  type ReadSchema,
  type SchemaError,
  type SearchedSchema,
  withoutIgnored,
} from "./searched-schema.js";
import { type Judges, type Shows, tryProposals } from "./try-proposals.js";
import { type ChangedPart, copyPart } from "./undo-change.js";

const MAX_DIFFERENCES = 24;
/** The steps for each value in an instance: it is sampled, copied and filled with required properties. */
const STEPS_TO_PROPOSE = 3;
/** The steps to make terms of a schema, for each value in it: patterns take most. */
const STEPS_TO_COMPILE = 10;
/** The number of instances that are tried before all are generated. */
const FEW = 4;

/** The answer to one request, and whether its witness may show another change of the same place. */
type SearchAnswer = WitnessAnswer & { readonly isShared?: boolean };

interface WitnessSearch {
  readonly find: (part: ChangedPart) => SearchAnswer;
  /**
   * Returns those of some changes that are proved to break nothing once other changes are undone: other rules of the schema
   * already reject what they reject.
   */
  readonly findImplied: <T extends ChangedPart>(
    parts: readonly T[],
    others: readonly ChangedPart[],
  ) => readonly T[];
}

/**
 * Creates a search for witnesses of the changes between two schemas. If there are several changes, an instance is a witness
 * of one change if the rejecting schema reports an error at the place of that change, preferably of the same keyword, and
 * accepts the instance once that change is undone. If other changes reject all such instances, it is a witness if that
 * change alone makes it invalid. Otherwise an error of the same keyword at the same place is enough.
 */
export function createWitnessSearch(pair: WitnessPair, changes: number, spend: Spend): WitnessSearch {
  const read = createSchemaReader(pair, spend);
  const accepts = read(withoutIgnored(pair.accepts, pair.dialect));
  const rejects = read(withoutIgnored(pair.rejects, pair.dialect));
  const accepting = accepts.root;
  const rejecting = rejects.root;
  const places = listPlaces(accepting, rejecting, spend);
  const filterErrors = createErrorFilter(accepting, rejecting);
  const tryPlaces = (
    near: readonly InstancePlace[],
    part: ChangedPart,
    routes: readonly Route[],
  ): SearchAnswer => {
    const { at, rule } = part;
    const undone = rule === undefined ? undefined : withPart(accepts, rejects, part, routes, read);
    const proposals = proposeAll({ accepting, undone: undone?.root }, near, part.value, spend);
    let alone: { readonly schema: SearchedSchema | undefined } | undefined;
    const judges: Judges = {
      accepts: accepts.judge,
      rejects: rejects.judge,
      undone: (instance) => undone?.judge(instance),
      alone: (instance) => {
        alone ??= { schema: withPart(rejects, accepts, { ...part, isMade: true }, routes, read) };
        return alone.schema?.judge(instance);
      },
      fixedParts: {
        requiredAt: (path) => requiredAt(accepting, path),
        isEnumeratedAt: (path) => isEnumeratedAt(accepting, path),
      },
    };
    const keyword = keywordOf(at);
    const showing =
      (isRelevant: (error: SchemaError, path: readonly InstanceStep[]) => boolean): Shows =>
      (errors, { instance, path }) =>
        filterErrors(errors, instance, at).some((each) => isRelevant(each, path));
    const isExact = showing(
      (each, path) => changes === 1 || (each.keyword === keyword && isAbout(each, path)),
    );
    // Without a schema in which the change is undone, an instance shows this change only if there is no other.
    const isPlain = rule === undefined || (changes === 1 && undone === undefined);
    const verdicts = isPlain ? (["any"] as const) : (["undone", "alone"] as const);
    // One of the first instances is nearly always a witness.
    const first = takeSome(proposals, FEW);
    const soon = tryProposals(first, judges, [{ shows: isExact, verdict: verdicts[0] }]);
    if (soon.kind === "found") return soon;
    const all = [...first, ...proposals];
    const criteria = changes === 1 ? [isExact] : [isExact, showing(isAbout)];
    const apart = tryProposals(
      all,
      judges,
      verdicts.flatMap((verdict) => criteria.map((shows) => ({ shows, verdict }))),
    );
    // A change that breaks types needs no witness that may show another change.
    if (apart.kind === "found" || isPlain || SIDED_RULES[rule].isOfTypes === true) return apart;
    // The rules of a place may be written in other schemas than before, so that no part can be exchanged.
    const isSame = showing((each, path) => each.keyword === keyword && isInside(each, path));
    const shared = [isSame, showing(isInside)].map((shows) => ({ shows, verdict: "any" }) as const);
    return { ...tryProposals(all, judges, shared), isShared: true };
  };
  const routesOf = ({ at }: ChangedPart): readonly Route[] =>
    findRoutesInPair(accepts.index(), rejects.index(), at);
  const find = (part: ChangedPart): SearchAnswer => {
    const { at } = part;
    const routes = routesOf(part);
    const near = findNear(places, accepting, rejecting, { at, routes });
    const answer = tryPlaces(near, part, routes);
    if (answer.kind === "found" || part.value !== undefined) return answer;
    // A witness at another place shows another change, unless this is the only one.
    const others = changes === 1 ? findDifferences(places).filter((place) => !near.includes(place)) : [];
    return others.length === 0 ? answer : tryPlaces(others.slice(0, MAX_DIFFERENCES), part, routes);
  };
  const findImplied: WitnessSearch["findImplied"] = (parts, others) => {
    let rest = rejects;
    for (const other of others) {
      const undone = withPart(accepts, rest, other, routesOf(other), read);
      if (undone === undefined) return [];
      rest = undone;
    }
    if (!isWithin(accepts, rest, spend)) return [];
    // Undoing a change may have undone another one.
    return parts.filter((part) => withPart(accepts, rest, part, routesOf(part), read) !== undefined);
  };
  return { find, findImplied };
}

function isWithin(schema: SearchedSchema, other: SearchedSchema, spend: Spend): boolean {
  spend(STEPS_TO_COMPILE * (sizeOf(schema.raw) + sizeOf(other.raw)));
  const table = new TermTable();
  const [term, outer] = [schema, other].map(({ parsed }, index) =>
    new TermCompiler(table, parsed, `${index} `).compile(parsed.ir),
  );
  if (term === undefined || outer === undefined) return false;
  const prover = new Prover(table);
  const isIncluded = prover.isIncluded(term, outer);
  spend(prover.spent);
  return isIncluded;
}

/** The last keyword of a JSON Pointer as the judge calls it; for a branch, the keyword of its union. */
function keywordOf(pointer: string): string | undefined {
  const steps = splitPointer(pointer);
  const keyword = /^\d+$/.test(steps.at(-1) ?? "") ? steps.at(-2) : steps.at(-1);
  return keyword === "const" ? "enum" : keyword;
}

/** Returns one schema with the part of the other at the place of a change; undefined if the result cannot be parsed. */
function withPart(
  from: SearchedSchema,
  to: SearchedSchema,
  part: ChangedPart,
  routes: readonly Route[],
  read: ReadSchema,
): SearchedSchema | undefined {
  const pointers = routes.map(({ pointer }) => pointer);
  const copied = copyPart(from.raw, to.raw, part, pointers);
  try {
    return copied === undefined ? undefined : read(copied);
  } catch (error) {
    if (error instanceof McpCodegenError) return undefined;
    throw error;
  }
}

function* proposeAll(
  { accepting, undone }: { readonly accepting: SchemaPart; readonly undone: SchemaPart | undefined },
  places: readonly InstancePlace[],
  value: JsonValue | undefined,
  spend: Spend,
): Generator<Proposal> {
  for (const place of places) {
    for (const proposal of proposeInstances(accepting, place, value, undone)) {
      spend(STEPS_TO_PROPOSE * sizeOf(proposal.instance));
      yield proposal;
      // Add what other changes require, so that its absence does not reject the instance.
      const instance = undone === undefined ? proposal.instance : fillRequired([undone], proposal.instance);
      if (!isSameJson(instance, proposal.instance)) yield { ...proposal, instance };
    }
  }
}

/** Takes the next items of a generator, which can continue afterwards. */
function takeSome<T>(from: Generator<T>, most: number): readonly T[] {
  const values: T[] = [];
  while (values.length < most) {
    const next = from.next();
    if (next.done === true) break;
    values.push(next.value);
  }
  return values;
}

/** Keywords that reject a value because of its parts or because of several schemas. */
const COMBINING = new Set([
  "oneOf",
  "anyOf",
  "not",
  "if",
  "contains",
  "uniqueItems",
  "propertyNames",
  "dependentRequired",
  "dependencies",
  "minProperties",
  "maxProperties",
  "unevaluatedItems",
  "unevaluatedProperties",
  "additionalItems",
  "items",
]);

/** Whether an error is about the value at a path, or about an outer value because of that value. */
function isAbout(error: SchemaError, path: readonly InstanceStep[]): boolean {
  const { at, keyword } = error;
  return isInside(error, path) || (COMBINING.has(keyword) && isAtOrBelow(joinPointer("", ...path), at));
}

/** Whether an error is about the value at a path or a part of it. */
function isInside({ at }: SchemaError, path: readonly InstanceStep[]): boolean {
  return isAtOrBelow(at, joinPointer("", ...path));
}

/**
 * Returns the errors of an instance that can show the change at a JSON Pointer. Callers do not pass properties that the
 * accepting schema does not declare, so an error about such a property counts only if the change is about it.
 */
type ErrorFilter = (
  errors: readonly SchemaError[],
  instance: JsonValue,
  change: string,
) => readonly SchemaError[];

/** The parts of both schemas for a value, and the properties on its path that only the rejecting schema declares. */
interface Reached {
  readonly accepting: readonly SchemaPart[];
  readonly rejecting: readonly SchemaPart[];
  readonly named: readonly string[];
}

function createErrorFilter(accepts: SchemaPart, rejects: SchemaPart): ErrorFilter {
  const reachedBy = new Map<string, Reached>();
  const reach = (pointer: string): Reached => {
    const before = reachedBy.get(pointer);
    if (before !== undefined) return before;
    const accepting = [accepts];
    const rejecting = [rejects];
    const step = splitPointer(pointer).at(-1);
    const reached: Reached =
      step === undefined
        ? { accepting: expandParts(accepting), rejecting: expandParts(rejecting), named: [] }
        : follow(reach(pointer.slice(0, pointer.lastIndexOf("/"))), step);
    reachedBy.set(pointer, reached);
    return reached;
  };
  const isOutside = (pointer: string, change: string): boolean =>
    reach(pointer).named.some((named) => !isAtOrBelow(named, change) && !isAtOrBelow(change, named));
  return (errors, instance, change) => {
    // An error of a union is about the whole value, whichever of its properties is wrong.
    const isOfUnion = errors.some(({ keyword }) => keyword === "anyOf" || keyword === "oneOf");
    if (isOfUnion && [...valuesIn(instance)].some(([path]) => isOutside(joinPointer("", ...path), change)))
      return [];
    return errors.filter(({ at }) => !isOutside(at, change));
  };
}

function follow({ accepting, rejecting, named }: Reached, step: string): Reached {
  const below = (parts: readonly SchemaPart[]): readonly SchemaPart[] =>
    expandParts([
      ...propertyParts(parts, step),
      ...(/^\d+$/.test(step) ? itemParts(parts, Number(step)) : []),
    ]);
  return {
    accepting: below(accepting),
    rejecting: below(rejecting),
    named: accepting.some((part) => isMentioned(part, step))
      ? named
      : [...named, ...rejecting.flatMap((part) => findNamed(part, step))],
  };
}

function findNamed({ rules }: SchemaPart, name: string): readonly string[] {
  const { object } = rules;
  const isNamed = object !== undefined && declaredProperties(object).has(name);
  return isNamed ? [joinPointer(object.at, "properties", name)] : [];
}

/** Whether a schema has a rule for a property; an open object has none for undeclared properties. */
function isMentioned(part: SchemaPart, name: string): boolean {
  const { lists, object, unevaluated } = part.rules;
  return (
    // An enumerated value determines all of its properties.
    lists.length > 0 ||
    findNamed(part, name).length > 0 ||
    object?.required.includes(name) === true ||
    propertyPatterns([part]).some((pattern) => matchPattern(pattern, name) === true) ||
    [object?.additional, unevaluated?.properties].some((rest) => rest !== undefined && rest.kind !== "any")
  );
}

function isAtOrBelow(pointer: string, other: string): boolean {
  return pointer === other || pointer.startsWith(`${other}/`);
}
