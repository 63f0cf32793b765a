import { McpCodegenError } from "../core/errors.js";
import { joinPointer } from "../core/json-pointer.js";
import { canonicalJson, getOwn, type JsonObject, type JsonValue } from "../core/json.js";
import type { Dialect, SchemaIR } from "../core/schema-ir.js";
import { matchPattern } from "../schema/pattern/match-pattern.js";
import {
  addDependents,
  chooseParts,
  extraNames,
  partsContained,
  pickLiteral,
  pickType,
  sampleValue,
} from "../schema/sample/sample-value.js";
import {
  declaredNames,
  itemParts,
  propertyPatterns,
  nameParts,
  numbersOf,
  propertyParts,
  readPart,
  requiredBy,
  type SchemaPart,
  textPatterns,
} from "../schema/sample/schema-part.js";
import type { Issue, Schema } from "../core/schema.js";
import { explainIssue, findIssues } from "../schema/validation/schema.js";
import { createRandom, FieldIds, isIdField, type Random, type ValueKind } from "./fields.js";
import { makeNumber, makeText } from "./make-scalar.js";

interface ValueStyle {
  readonly kind: ValueKind;
  readonly seed: string;
  /** The entity of the answer, such as `post`: the root's `id` is that of a post. */
  readonly entity: string;
  /** The arguments of the call, which are repeated under the same names. */
  readonly echo: JsonObject;
}

interface Making extends ValueStyle {
  readonly random: Random;
  readonly budget: { left: number };
}

interface ValuePlace {
  readonly name: string;
  readonly depth: number;
  /** The name of the object that holds the value. */
  readonly entity: string;
  readonly ids: FieldIds;
  /** Whether the value is inside a list, so that there are several. */
  readonly isListed: boolean;
}

const MOST_VALUES = 2_000;
/** Below this depth, optional properties are omitted and lists are empty: a schema may contain itself. */
const RICH_DEPTH = 5;
const MOST_DEPTH = 24;
const MOST_ITEMS = 1_000;
/** The longest list that `boundary` makes: a schema may allow any number of items. */
const LONGEST_LIST = 50;
const ALTERNATIVES = 60;

/** Returns a plausible value that a schema probably accepts. */
export function makeValue(schema: SchemaPart, style: ValueStyle): JsonValue {
  const making = { ...style, random: createRandom(style.seed), budget: { left: MOST_VALUES } };
  const { entity, echo } = style;
  return make([schema], making, {
    name: entity,
    entity,
    depth: 0,
    isListed: false,
    ids: FieldIds.of(echo, entity),
  });
}

function make(start: readonly SchemaPart[], making: Making, place: ValuePlace): JsonValue {
  making.budget.left -= 1;
  if (place.depth > MOST_DEPTH || making.budget.left < 0) return null;
  const { parts, type } = choose(start, making, place);
  const turn = making.random.integer(0, ALTERNATIVES - 1);
  const literal = pickLiteral(parts, turn);
  if (literal !== undefined) return literal;
  const example = pickExample(parts, making);
  if (example !== undefined) return example;
  switch (type) {
    case "object":
      return makeObject(parts, making, place);
    case "array":
      return makeList(parts, making, place);
    case "string":
    case "integer":
    case "number":
      return makeScalar(parts, type, making, place);
    case "boolean":
      return making.random.next() < 0.5;
    default:
      return null;
  }
}

function choose(
  start: readonly SchemaPart[],
  { kind, random }: Making,
  { depth }: ValuePlace,
): { readonly parts: readonly SchemaPart[]; readonly type: string } {
  const nulls = { natural: 0.1, plain: 0, boundary: 0.5 }[kind];
  const wantsNull = depth > RICH_DEPTH || random.next() < nulls;
  let chosen: { readonly parts: readonly SchemaPart[]; readonly type: string } | undefined;
  const first = random.integer(0, ALTERNATIVES - 1);
  for (let turn = first; turn < first + 4; turn += 1) {
    const parts = chooseParts(start, { turn, branches: new Map() });
    const type = pickType(parts, turn);
    chosen = { parts, type };
    if ((type === "null") === wantsNull) break;
    // Most schemas do not allow null.
    if (wantsNull && !start.some(mayBeNull)) break;
  }
  return chosen ?? { parts: [], type: "null" };
}

function mayBeNull({ rules }: SchemaPart): boolean {
  return rules.types?.includes("null") === true || rules.unions.length > 0;
}

/** Returns a value that the schema itself shows. A default is likely among arguments, and not in an answer. */
function pickExample(parts: readonly SchemaPart[], { kind, random }: Making): JsonValue | undefined {
  const shown = parts.flatMap(({ rules }) => rules.annotations?.examples ?? []);
  if (shown.length > 0) return kind === "boundary" ? undefined : random.pick(shown);
  return kind === "plain"
    ? parts.map(({ rules }) => rules.annotations?.default).find((value) => value !== undefined)
    : undefined;
}

/** Returns a known id of the same subject, an argument of the same name, or a new value. */
function makeScalar(
  parts: readonly SchemaPart[],
  type: "string" | "integer" | "number",
  making: Making,
  { name, entity, ids, isListed, depth }: ValuePlace,
): JsonValue {
  const fits = (value: JsonValue | undefined): value is JsonValue =>
    value !== undefined &&
    (type === "integer" ? Number.isInteger(value) : typeof value === type) &&
    !(typeof value === "string" && value === "");
  const id = ids.get(name, entity);
  if (fits(id)) return id;
  const isEchoed = !isListed && depth <= 2 && !isIdField(name);
  const echoed = isEchoed ? getOwn(making.echo, name) : undefined;
  if (fits(echoed)) return echoed;
  const { kind, random } = making;
  const value =
    type === "string"
      ? makeText(parts, { name, kind, random })
      : makeNumber(parts, { name, isWhole: type === "integer", kind, random });
  return ids.set(name, entity, value);
}

function makeObject(parts: readonly SchemaPart[], making: Making, place: ValuePlace): JsonValue {
  const { random, kind } = making;
  const required = new Set(requiredBy(parts));
  addDependents(parts, required);
  const declared = declaredNames(parts);
  const usual = place.depth >= RICH_DEPTH || kind === "plain" ? 0 : kind === "boundary" ? 0.5 : 0.85;
  // An object may declare more properties than a value should have.
  const share = Math.min(usual, making.budget.left / 2 / Math.max(declared.length, 1));
  const most = Math.min(Infinity, ...numbersOf(parts, "maxProperties"));
  // In the order of the schema, as most servers answer.
  const names = new Set(
    declared.filter((name) => required.has(name) || (random.next() < share && required.size < most)),
  );
  for (const name of required) names.add(name);
  for (const name of nameEntries(parts, names, share, random)) names.add(name);
  addDependents(parts, names);
  return Object.fromEntries(
    [...names]
      .filter((name) => required.has(name) || isAllowed(parts, name))
      .slice(0, Math.max(most, required.size))
      .map((name) => [
        name,
        make(propertyParts(parts, name), making, {
          ...place,
          name,
          entity: place.name,
          depth: place.depth + 1,
        }),
      ]),
  );
}

/** Returns names for an object that is used as a map, and the names that `minProperties` still requires. */
function nameEntries(
  parts: readonly SchemaPart[],
  names: ReadonlySet<string>,
  share: number,
  random: Random,
): readonly string[] {
  const least = Math.max(0, ...numbersOf(parts, "minProperties"));
  const isMap =
    names.size === 0 &&
    (propertyPatterns(parts).length > 0 || parts.some(({ rules }) => isOpenMap(rules.object?.additional)));
  const wanted = Math.min(
    Math.max(least - names.size, isMap && share > 0 ? random.integer(1, 2) : 0),
    MOST_ITEMS,
  );
  if (wanted === 0) return [];
  const fitting = extraNames(parts, wanted).filter((name) => !name.startsWith("extra"));
  const plain = ["first", "second", "third"];
  const patterns = textPatterns(parts.flatMap(nameParts));
  const isFree = propertyPatterns(parts).length === 0;
  const numbered = Array.from({ length: wanted }, (_, index) => `extra${index}`);
  const longer = fitting.flatMap((name) => plain.map((word) => `${name}${word}`));
  const isNew = (name: string): boolean =>
    !names.has(name) &&
    isAllowed(parts, name) &&
    patterns.every((pattern) => matchPattern(pattern, name) === true);
  const usual = [...(isFree ? [...plain, ...numbered] : []), ...longer, ...fitting].filter(isNew);
  return [...new Set(usual)].slice(0, wanted);
}

/** Whether an object may have properties that it does not name. A schema without rules is usually written by default. */
function isOpenMap(additional: SchemaIR | undefined): boolean {
  return additional !== undefined && additional.kind !== "never" && additional.kind !== "any";
}

function isAllowed(parts: readonly SchemaPart[], name: string): boolean {
  return propertyParts(parts, name).every(({ node }) => node.kind !== "never");
}

function makeList(parts: readonly SchemaPart[], making: Making, place: ValuePlace): JsonValue {
  const { random, kind } = making;
  const contained = partsContained(parts);
  const tuple = Math.max(0, ...parts.map(({ rules }) => rules.array?.prefix.length ?? 0));
  const least = Math.min(Math.max(contained.length, ...numbersOf(parts, "minItems")), MOST_ITEMS);
  const most = Math.min(MOST_ITEMS, ...numbersOf(parts, "maxItems"));
  const some = kind === "plain" ? 1 : random.integer(1, 3);
  const usual = place.depth >= RICH_DEPTH ? tuple : Math.max(tuple, some);
  const limits = [least, most <= LONGEST_LIST ? most : Math.max(least, usual)];
  const count =
    kind === "boundary" && tuple === 0 ? random.pick(limits) : Math.min(Math.max(least, usual), most);
  const isUnique = parts.some(({ rules }) => rules.array?.uniqueItems === true);
  const items: JsonValue[] = [];
  const seen = new Set<string>();
  for (let index = 0; index < count; index += 1) {
    const wanted = contained[index];
    const about = [...itemParts(parts, index), ...(wanted === undefined ? [] : [wanted])];
    if (making.budget.left <= 0 && items.length >= least) break;
    if (about.some(({ node }) => node.kind === "never")) break;
    const item = makeItem(about, making, place, (value) => !isUnique || !seen.has(canonicalJson(value)));
    if (item === undefined) break;
    seen.add(canonicalJson(item));
    items.push(item);
  }
  return items;
}

function makeItem(
  parts: readonly SchemaPart[],
  making: Making,
  place: ValuePlace,
  isNew: (item: JsonValue) => boolean,
): JsonValue | undefined {
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const ids = place.ids.forItem(place.name);
    const depth = place.depth + 1;
    const item = make(parts, making, { ...place, ids, depth, entity: place.name, isListed: true });
    if (isNew(item)) return item;
  }
  return undefined;
}

export interface ValueOptions {
  /** Equal seeds give equal values. */
  readonly seed: string;
  /** Returns values at the limits of the schema. */
  readonly boundary?: boolean | undefined;
  /** Omits optional properties if the schema allows it. */
  readonly plain?: boolean | undefined;
  /** The entity of the value, such as `post`. */
  readonly entity?: string | undefined;
  /** The arguments of a call, which are repeated under the same names. */
  readonly echo?: JsonObject | undefined;
  /** The dialect of a schema that does not declare one. */
  readonly dialect?: Dialect | undefined;
}

const ATTEMPTS: readonly (readonly [kind: ValueKind, count: number])[] = [
  ["natural", 8],
  ["plain", 8],
];
/** The number of combinations of the schema's choices that are tried without regard to the field. */
const TURNS = 24;

/**
 * Returns a value that a JSON Schema accepts, plausible for its fields if possible.
 *
 * @param judge the same schema, compiled
 * @throws McpCodegenError `SCHEMA_INVALID` if no value is found; it names the place without one
 */
export async function generateValue(
  schema: JsonValue,
  judge: Schema<unknown>,
  { seed, boundary = false, plain = false, entity = "", echo = {}, dialect }: ValueOptions,
): Promise<JsonValue> {
  const root = readPart(schema, dialect);
  let first: readonly Issue[] | undefined;
  const usual = ATTEMPTS.filter(([kind]) => !plain || kind === "plain");
  const attempts = boundary ? [["boundary", 8] as const, ...usual] : usual;
  for (const [kind, count] of attempts) {
    for (let attempt = 0; attempt < count; attempt += 1) {
      const value = makeValue(root, { kind, seed: `${seed}#${kind}${attempt}`, entity, echo });
      const issues = await findIssues(judge, value);
      if (issues.length === 0) return value;
      first ??= issues;
    }
  }
  for (let turn = 0; turn < TURNS; turn += 1) {
    const value = sampleValue([root], { turn, branches: new Map(), path: [] });
    if ((await findIssues(judge, value)).length === 0) return value;
  }
  throw noValue(first ?? []);
}

function noValue(issues: readonly Issue[]): McpCodegenError {
  const [issue] = issues.flatMap(explainIssue);
  const path = (issue?.path ?? []).map((key) => (typeof key === "number" ? key : String(key)));
  const place = path.length === 0 ? "the root" : joinPointer("", ...path);
  return new McpCodegenError(
    "SCHEMA_INVALID",
    `No value was found that the schema accepts at ${place}: ${issue?.message ?? "it accepts nothing"}.`,
  );
}
