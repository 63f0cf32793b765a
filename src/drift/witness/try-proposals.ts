import { isJsonObject, type JsonValue } from "../../contract/json.js";
import { joinPointer } from "../../contract/json-pointer.js";
import type { WitnessAnswer } from "../finding.js";
import { mapKeyword } from "../../contract/subschemas.js";
import type { NormalizedSchema } from "./normalize-for-ajv.js";
import type { Compile, Validator, SchemaError } from "./compile-schema.js";
import { pruneSchema, type Vocabulary, vocabularyOf } from "./prune-schema.js";
import type { Proposal } from "./propose-instances.js";
import { mapOf, rootPart } from "./schema-part.js";
import { requiredAt } from "./fill-required.js";
import { shrinkWitness, type RequiredAt } from "./shrink-witness.js";
import { OutOfStepsError } from "../steps.js";

/** The two schemas of a search, the rejecting one with the change undone, and the accepting one with only that change. */
export interface Schemas {
  readonly accepts: NormalizedSchema;
  readonly rejects: NormalizedSchema;
  /** Undefined if the change cannot be separated from others, as is `alone`. */
  readonly undone: NormalizedSchema | undefined;
  readonly alone: NormalizedSchema | undefined;
}

interface Validators {
  readonly accepts: Validator;
  readonly rejects: Validator;
  readonly undone: LazyValidator;
  readonly alone: LazyValidator;
  /** The required names of the accepting schema. */
  readonly requiredAt: RequiredAt;
}

/** As {@link Validator}; undefined if there is no such schema, or if Ajv cannot compile it. */
type LazyValidator = (instance: JsonValue) => readonly SchemaError[] | undefined;

/** Compiles the schemas for the words of the proposals; `undone` and `alone` are compiled on first use. */
export function compileFor(proposals: readonly Proposal[], schemas: Schemas, compile: Compile): Validators {
  const words = vocabularyOf(proposals.map(({ instance }) => instance));
  const validatorOf = (clean: NormalizedSchema): Validator =>
    compile({ ...clean, schema: asAjvReads(pruneSchema(clean.schema, words), words) });
  const validateLater = (clean: NormalizedSchema | undefined): LazyValidator => {
    let compiled: { readonly validator: Validator | undefined } | undefined;
    return (instance) => {
      compiled ??= { validator: clean && orUndefined(() => validatorOf(clean)) };
      return compiled.validator?.(instance);
    };
  };
  return {
    accepts: validatorOf(schemas.accepts),
    rejects: validatorOf(schemas.rejects),
    undone: validateLater(schemas.undone),
    alone: validateLater(schemas.alone),
    requiredAt: (path) => requiredAt(rootPart(schemas.accepts.schema), path),
  };
}

/** Returns undefined if Ajv cannot compile: a copied part may refer to a definition that the schema does not have. */
function orUndefined(compile: () => Validator): Validator | undefined {
  try {
    return compile();
  } catch (error) {
    if (error instanceof OutOfStepsError) throw error;
    return undefined;
  }
}

/** Ajv ignores a property named `__proto__`, but not a pattern that matches it. */
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

/** Whether the errors of an instance show the change. */
export type Shows = (errors: readonly SchemaError[], proposal: Proposal) => boolean;

/** A condition for an instance to show a change. */
interface Criterion {
  readonly shows: Shows;
  /** `any`: the schemas differ only by this change, so every instance shows it. */
  readonly verdict: "undone" | "alone" | "any";
}

/** Returns the first instance that meets the best criterion that any instance meets, shrunk to a minimal witness. */
export function tryProposals(
  proposals: readonly Proposal[],
  validators: Validators,
  criteria: readonly Criterion[],
): WitnessAnswer {
  let best: { readonly proposal: Proposal; readonly rank: number } | undefined;
  for (const proposal of proposals) {
    const rank = rankOf(proposal, validators, criteria.slice(0, best?.rank));
    if (rank >= 0) best = { proposal, rank };
    if (rank === 0) break;
  }
  const criterion = best && criteria[best.rank];
  if (best === undefined || criterion === undefined) return { kind: "none" };
  const { instance, path } = best.proposal;
  const isWitness = (candidate: JsonValue): boolean =>
    rankOf({ instance: candidate, path }, validators, [criterion]) === 0;
  const smallest = shrinkWitness(instance, isWitness, validators.requiredAt);
  return { kind: "found", instance: smallest, rejectedAt: findRejected(smallest, path, validators) };
}

/** The place of the error within the part that a proposal is about; that part if the error is about an outer value. */
function findRejected(instance: JsonValue, path: Proposal["path"], { rejects }: Validators): string {
  const place = joinPointer("", ...path);
  try {
    return rejects(instance).find(({ at }) => at === place || at.startsWith(`${place}/`))?.at ?? place;
  } catch (error) {
    if (error instanceof OutOfStepsError) return place;
    throw error;
  }
}

/** Returns the index of the first criterion that an instance meets; -1 if it meets none. */
function rankOf(proposal: Proposal, validators: Validators, criteria: readonly Criterion[]): number {
  const { instance } = proposal;
  const errors = validators.rejects(instance);
  const held = criteria.map(({ shows }) => shows(errors, proposal));
  if (!held.includes(true) || validators.accepts(instance).length > 0) return -1;
  return criteria.findIndex(
    ({ verdict }, index) => held[index] === true && isShownBy(verdict, instance, validators),
  );
}

function isShownBy(verdict: Criterion["verdict"], instance: JsonValue, validators: Validators): boolean {
  switch (verdict) {
    case "undone":
      return validators.undone(instance)?.length === 0;
    case "alone":
      return (validators.alone(instance)?.length ?? 0) > 0;
    case "any":
      return true;
    default:
      return verdict satisfies never;
  }
}
