import { isJsonObject, type JsonValue } from "../../contract/json.js";
import { joinPointer } from "../../schema/json-pointer.js";
import type { WitnessAnswer, WitnessRequest } from "../finding.js";
import { cleanSchema, type CleanSchema } from "./clean-schema.js";
import type { Compile, Judge, Objection } from "./compile-schema.js";
import { findNear } from "./find-near.js";
import { findDifferences, listPlaces, type Place } from "./find-places.js";
import { vocabularyOf, type Vocabulary } from "./is-possible.js";
import { openTelling } from "./open-telling.js";
import { mapKeyword } from "../map-keyword.js";
import { proposeInstances, type Proposal } from "./propose-instances.js";
import { pruneSchema } from "./prune-schema.js";
import { mapOf, type Step } from "./schema-part.js";
import type { Spend } from "../../schema/match-pattern.js";
import { shrinkWitness } from "./shrink-witness.js";
import { countValues } from "./steps.js";

/** Two schemas in which several changes are looked for. */
export type SchemaPair = Pick<WitnessRequest, "accepts" | "rejects" | "dialect" | "formats">;

const MAX_DIFFERENCES = 24;
/** So many instances are tried before all are made. */
const FEW = 4;

/**
 * A search in one pair of schemas, by the JSON Pointer of a change and the value it is about, if there is one. With
 * several changes between the two, an instance shows a change only if the rejecting schema objects to it at the place of
 * that change, if possible by the very keyword.
 */
export function openSearch(
  pair: SchemaPair,
  changes: number,
  { compile, spend }: { readonly compile: Compile; readonly spend: Spend },
): (at: string, value?: JsonValue) => WitnessAnswer {
  const accepts = cleanSchema(pair.accepts, pair.dialect, pair.formats);
  const rejects = cleanSchema(pair.rejects, pair.dialect, pair.formats);
  const places = listPlaces(accepts.schema, rejects.schema);
  const findTelling = openTelling(accepts.schema, rejects.schema);
  const tryPlaces = (near: readonly Place[], at: string, value: JsonValue | undefined): WitnessAnswer => {
    const proposals = proposeAll(accepts, near, value, spend);
    const keyword = at.slice(at.lastIndexOf("/") + 1);
    const showing =
      (isToThePoint: (objection: Objection, path: readonly Step[]) => boolean): Shows =>
      (objections, { instance, path }) =>
        findTelling(objections, instance, at).some((each) => isToThePoint(each, path));
    const isExact = showing(
      (each, path) => changes === 1 || (each.keyword === keyword && isAbout(each, path)),
    );
    // Nearly always one of the first shows it, and what has few keys is soon compiled.
    const first = takeSome(proposals, FEW);
    const few = compileFor(first, accepts, rejects, compile);
    const soon = tryProposals(first, few, isExact);
    if (soon.kind === "found") return soon;
    const others = [...proposals];
    const all = [...first, ...others];
    const judges = others.length === 0 ? few : compileFor(all, accepts, rejects, compile);
    const exact = tryProposals(others, judges, isExact);
    return exact.kind === "found" || changes === 1 ? exact : tryProposals(all, judges, showing(isAbout));
  };
  return (at, value) => {
    const near = findNear(places, accepts.schema, rejects.schema, at);
    const answer = tryPlaces(near, at, value);
    if (answer.kind === "found" || value !== undefined) return answer;
    // Unless it is the only change, what differs elsewhere shows another one.
    const others = changes === 1 ? findDifferences(places).filter((place) => !near.includes(place)) : [];
    return others.length === 0 ? answer : tryPlaces(others.slice(0, MAX_DIFFERENCES), at, value);
  };
}

function* proposeAll(
  { schema }: CleanSchema,
  places: readonly Place[],
  value: JsonValue | undefined,
  spend: Spend,
): Generator<Proposal> {
  for (const place of places) {
    for (const proposal of proposeInstances(schema, place, value)) {
      spend(countValues(proposal.instance));
      yield proposal;
    }
  }
}

/** The next of a generator, which goes on after them. */
function takeSome<T>(from: Generator<T>, most: number): readonly T[] {
  const taken: T[] = [];
  while (taken.length < most) {
    const next = from.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
}

interface Judges {
  readonly accepts: Judge;
  readonly rejects: Judge;
}

/** Both schemas, compiled for the words that the proposals are made of. */
function compileFor(
  proposals: readonly Proposal[],
  accepts: CleanSchema,
  rejects: CleanSchema,
  compile: Compile,
): Judges {
  const words = vocabularyOf(proposals.map(({ instance }) => instance));
  const judgeOf = (clean: CleanSchema): Judge =>
    compile({ ...clean, schema: asAjvReads(pruneSchema(clean.schema, words), words) });
  return { accepts: judgeOf(accepts), rejects: judgeOf(rejects) };
}

/** Ajv passes over a property named `__proto__`, but not over a pattern of that name. */
function asAjvReads(schema: JsonValue, words: Vocabulary): JsonValue {
  return words.keys.has(PROTO) ? nameByPattern(schema) : schema;
}

const PROTO = "__proto__";

function nameByPattern(schema: JsonValue): JsonValue {
  if (!isJsonObject(schema)) return schema;
  const keywords = new Map(
    Object.entries(schema).map(([keyword, value]) => [
      keyword,
      mapKeyword(keyword, value, "", nameByPattern),
    ]),
  );
  const properties = mapOf(keywords.get("properties"));
  if (Object.hasOwn(properties, PROTO)) {
    const patterns = Object.entries(mapOf(keywords.get("patternProperties")));
    const named = Object.entries(properties).filter(([name]) => name === PROTO);
    keywords.set(
      "patternProperties",
      Object.fromEntries([...patterns, ...named.map(([, value]) => [`^${PROTO}$`, value] as const)]),
    );
  }
  return Object.fromEntries(keywords);
}

/** Whether what is held against an instance shows the change. */
type Shows = (objections: readonly Objection[], proposal: Proposal) => boolean;

/** The first of the instances that is accepted by one schema, and that the other has something to the point against. */
function tryProposals(proposals: readonly Proposal[], judges: Judges, shows: Shows): WitnessAnswer {
  for (const { instance, path } of proposals) {
    const isWitness = (candidate: JsonValue): boolean =>
      shows(judges.rejects(candidate), { instance: candidate, path }) &&
      judges.accepts(candidate).length === 0;
    if (isWitness(instance)) return { kind: "found", instance: shrinkWitness(instance, isWitness) };
  }
  return { kind: "none" };
}

/** Keywords that object to a value for what is inside it, or for what else it might have been. */
const COMBINING = new Set([
  ...[
    "oneOf",
    "anyOf",
    "not",
    "if",
    "contains",
    "uniqueItems",
    "propertyNames",
    "dependentRequired",
    "dependencies",
  ],
  ...[
    "minProperties",
    "maxProperties",
    "unevaluatedItems",
    "unevaluatedProperties",
    "additionalItems",
    "items",
  ],
]);

/** Whether an objection is to what stands at a place, or to something around it because of what stands there. */
function isAbout({ at, keyword }: Objection, path: readonly Step[]): boolean {
  const place = joinPointer("", ...path);
  if (at === place || at.startsWith(`${place}/`)) return true;
  return COMBINING.has(keyword) && (at === "" || place.startsWith(`${at}/`));
}
