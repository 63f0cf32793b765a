import { isEqual } from "../../core/json.js";
import { DUPLICATE_ITEM, findDuplicates } from "./checks.js";
import {
  compileRegex,
  type JsonSchema,
  type KeyPart,
  type KeyRules,
  type WithKeyRules,
  zodPart,
} from "./json-schema.js";
import { valueAtPath, type Issue } from "./schema.js";

interface Removal {
  readonly value: unknown;
  /** Each once; `*` replaces the index of an item. */
  readonly paths: readonly (readonly string[])[];
}

/** Deeper levels of a value are returned unchanged. */
const MAX_DEPTH = 500;

/**
 * Removes unknown keys from the closed objects of a schema.
 *
 * A key is known if any schema of the same value names it, has a pattern that matches it, or has a schema for additional
 * keys. The branches of a union count too, except those that a property with listed values rules out. So a key that
 * decides between branches is never removed.
 */
export function removeUnknownKeys(schema: object, value: unknown): Removal {
  const filter = new KeyFilter();
  const kept = filter.filter(value, [zodPart(schema)], []);
  return { value: kept, paths: [...filter.paths.values()] };
}

/** Whether an item is a duplicate only without its unknown keys. */
export function isMadeByRemoval({ path = [], message }: Issue, value: unknown): boolean {
  const keys = path.map((part) => (typeof part === "object" ? part.key : part));
  const index = keys.at(-1);
  if (message !== DUPLICATE_ITEM || typeof index !== "number") return false;
  const items = valueAtPath(value, keys.slice(0, -1));
  return Array.isArray(items) && !findDuplicates(items).includes(index);
}

class KeyFilter {
  readonly paths = new Map<string, readonly string[]>();
  readonly #rules = new Map<unknown, KeyRules>();

  /** Returns the value without its unknown keys, or the same value if it has none. */
  filter(value: unknown, parts: readonly KeyPart[], path: readonly string[]): unknown {
    if (parts.length === 0 || path.length > MAX_DEPTH) return value;
    if (Array.isArray(value)) return this.#filterItems(value, this.#collect(parts, value), path);
    return isPlainObject(value) ? this.#filterKeys(value, this.#collect(parts, value), path) : value;
  }

  #filterItems(value: readonly unknown[], rules: readonly KeyRules[], path: readonly string[]): unknown {
    const inside = [...path, "*"];
    const kept = value.map((item, index) => {
      const parts = rules.flatMap(({ prefix = [], items, anyItem = [] }) => [
        ...[prefix[index] ?? items].filter((part) => part !== undefined),
        ...anyItem,
      ]);
      return this.filter(item, parts, inside);
    });
    return kept.every((item, index) => item === value[index]) ? value : kept;
  }

  #filterKeys(value: Members, rules: readonly KeyRules[], path: readonly string[]): unknown {
    const accepts = rules.map(({ additional }) => additional && this.#rulesOf(additional).accepts);
    const mayRemove =
      accepts.includes("nothing") && !rules.some(({ constrainsAllKeys }) => constrainsAllKeys === true);
    const isGoverned = rules.some(
      ({ additional }, at) => additional !== undefined && accepts[at] === undefined,
    );
    const isKnown = (key: string): boolean =>
      isGoverned ||
      rules.some(
        ({ properties, patterns = [] }) =>
          properties?.has(key) === true || patterns.some(({ matches }) => matches(key)),
      );
    const kept: (readonly [string, unknown])[] = [];
    let isSame = true;
    for (const [key, item] of Object.entries(value)) {
      const isRemoved = mayRemove && !isKnown(key);
      const isLeaf = typeof item !== "object" || item === null;
      if (isLeaf && !isRemoved) {
        kept.push([key, item]);
        continue;
      }
      const inside = [...path, key];
      const filtered = isRemoved ? undefined : this.filter(item, partsOfKey(key, rules), inside);
      if (isRemoved) this.paths.set(JSON.stringify(inside), inside);
      else kept.push([key, filtered]);
      isSame &&= !isRemoved && filtered === item;
    }
    return isSame ? value : Object.fromEntries(kept);
  }

  /** Returns the rules of all schemas that may apply to a value. */
  #collect(parts: readonly KeyPart[], value: unknown): readonly KeyRules[] {
    return this.#follow(parts, ({ also = [], maybe = [], unions = [] }) => [
      ...also,
      ...maybe,
      ...unions.flatMap((members) => this.#possible(members, value)),
    ]);
  }

  #follow(parts: readonly KeyPart[], next: (rules: KeyRules) => readonly KeyPart[]): readonly KeyRules[] {
    const found = new Map<unknown, KeyRules>();
    const open = [...parts];
    for (let part = open.pop(); part !== undefined; part = open.pop()) {
      if (found.has(part.schema)) continue;
      const rules = this.#rulesOf(part);
      found.set(part.schema, rules);
      open.push(...next(rules));
    }
    return [...found.values()];
  }

  /** Returns the members of a union that no property with listed values rules out, or all members if none remains. */
  #possible(members: readonly KeyPart[], value: unknown): readonly KeyPart[] {
    if (!isPlainObject(value)) return members;
    const possible = members.filter((member) => !this.#isRuledOut(member, value));
    return possible.length > 0 ? possible : members;
  }

  #isRuledOut(member: KeyPart, value: Members): boolean {
    const must = ({ also = [] }: KeyRules): readonly KeyPart[] => also;
    const properties = this.#follow([member], must).flatMap((rules) => [...(rules.properties ?? [])]);
    return properties.some(([name, part]) => {
      if (part === undefined || !Object.hasOwn(value, name)) return false;
      return this.#follow([part], must).some(
        ({ values }) => values !== undefined && !values.some((one) => isEqual(one, value[name])),
      );
    });
  }

  #rulesOf(part: KeyPart): KeyRules {
    const known = this.#rules.get(part.schema);
    if (known !== undefined) return known;
    const rules =
      part.kind === "zod" ? keyRulesOfZod(part.schema) : keyRulesOfJsonSchema(part.schema, part.definitions);
    this.#rules.set(part.schema, rules);
    return rules;
  }
}

function partsOfKey(key: string, rules: readonly KeyRules[]): readonly KeyPart[] {
  return rules.flatMap(({ properties, patterns = [], additional }) => {
    const named = properties?.get(key);
    const matching = patterns.filter(({ matches }) => matches(key)).map(({ schema }) => schema);
    const isOther = properties?.has(key) !== true && matching.length === 0;
    return [named, ...matching, isOther ? additional : undefined].filter((part) => part !== undefined);
  });
}

/** Whether a value is a JSON object. A program's own tools may also return other objects, such as dates. */
function isPlainObject(value: unknown): value is Members {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Returns the rules of a Zod schema for keys and items, from its definition (`_zod.def`, which Zod 4 keeps for libraries)
 * and from the checks of generated code. Empty for schemas of other libraries, so that no key is removed for them.
 */
function keyRulesOfZod(schema: object): KeyRules {
  if (hasKeyRules(schema)) return schema.keyRules;
  const def = definitionOf(schema);
  if (def === undefined) return {};
  const rules = rulesOf(def);
  const checks = checksOf(def);
  return checks.length === 0 ? rules : { also: [{ keyRules: rules }, ...checks].map(zodPart) };
}

type Members = { readonly [key: string]: unknown };

function rulesOf(def: Members): KeyRules {
  const at = (key: string): readonly KeyPart[] => partsOf([def[key]]);
  switch (def["type"]) {
    case "unknown":
    case "any":
      return { accepts: "anything" };
    case "never":
      return { accepts: "nothing" };
    case "object":
      return { properties: propertiesOf(def["shape"]), additional: at("catchall")[0] };
    case "record":
      return recordRulesOf(def);
    case "union":
      return { unions: [partsOf(def["options"])] };
    case "intersection":
      return { also: [...at("left"), ...at("right")] };
    case "array":
      return { items: at("element")[0] };
    case "tuple":
      return { prefix: partsOf(def["items"]), items: at("rest")[0] };
    case "lazy": {
      const { getter } = def;
      return typeof getter === "function" ? { also: partsOf([Reflect.apply(getter, undefined, [])]) } : {};
    }
    case "literal":
      return Array.isArray(def["values"]) ? { values: def["values"] } : {};
    case "enum":
      return isRecord(def["entries"]) ? { values: Object.values(def["entries"]) } : {};
    case "pipe":
      return { also: at("in"), maybe: at("out") };
    case "nullable":
    case "catch":
      // These accept values that the inner schema rejects.
      return { maybe: at("innerType") };
    default:
      // optional, exactOptional, default, readonly and the like; for all others this is empty
      return { also: at("innerType") };
  }
}

/** Returns the rules of a record, which validates its keys with a schema. */
function recordRulesOf({ keyType, valueType, mode }: Members): KeyRules {
  const [schema] = partsOf([valueType]);
  const key = definitionOf(keyType);
  if (schema === undefined || key === undefined) return {};
  const isText = key["type"] === "string";
  if (isText && !(Array.isArray(key["checks"]) && key["checks"].length > 0)) return { additional: schema };
  const closed = mode === "loose" ? {} : { additional: zodPart({ keyRules: NOTHING }) };
  return { patterns: [{ matches: (name) => accepts(keyType, name), schema }], ...closed };
}

const NOTHING: KeyRules = { accepts: "nothing" };

function accepts(schema: unknown, value: unknown): boolean {
  const parse = isRecord(schema) ? schema["safeParse"] : undefined;
  const parsed: unknown = typeof parse === "function" ? Reflect.apply(parse, schema, [value]) : undefined;
  return isRecord(parsed) && parsed["success"] === true;
}

function checksOf(def: Members): readonly WithKeyRules[] {
  const checks: unknown = def["checks"];
  if (!Array.isArray(checks)) return [];
  return checks.flatMap((check: unknown) => {
    const internals = isRecord(check) ? check["_zod"] : undefined;
    const run = isRecord(internals) ? internals["check"] : undefined;
    return typeof run === "function" && hasKeyRules(run) ? [run] : [];
  });
}

function definitionOf(schema: unknown): Members | undefined {
  const internals = isRecord(schema) ? schema["_zod"] : undefined;
  const def = isRecord(internals) ? internals["def"] : undefined;
  return isRecord(def) ? def : undefined;
}

function partsOf(schemas: unknown): readonly KeyPart[] {
  return Array.isArray(schemas) ? schemas.filter(isRecord).map(zodPart) : [];
}

function propertiesOf(shape: unknown): ReadonlyMap<string, KeyPart | undefined> {
  if (!isRecord(shape)) return new Map();
  return new Map(Object.entries(shape).map(([name, schema]) => [name, partsOf([schema])[0]]));
}

function hasKeyRules(value: object): value is WithKeyRules {
  return "keyRules" in value && isRecord(value.keyRules);
}

function isRecord(value: unknown): value is Members {
  return Object(value) === value;
}

function keyRulesOfJsonSchema(
  schema: JsonSchema,
  definitions: { readonly [name: string]: JsonSchema },
): KeyRules {
  if (typeof schema === "boolean") return { accepts: schema ? "anything" : "nothing" };
  const part = (one: JsonSchema): KeyPart => ({ kind: "json", schema: one, definitions });
  const parts = (...all: readonly (JsonSchema | undefined)[]): readonly KeyPart[] =>
    all.filter((one) => one !== undefined).map(part);
  const { $ref, allOf = [], properties = {}, patternProperties = {}, dependentSchemas = {} } = schema;
  const [additional] = parts(schema.additionalProperties ?? schema.unevaluatedProperties);
  const [items] = parts(schema.items);
  return {
    also: parts($ref === undefined ? undefined : definitions[$ref.slice("#/$defs/".length)], ...allOf),
    maybe: parts(schema.not, schema.if, schema.then, schema.else, ...Object.values(dependentSchemas)),
    unions: [schema.anyOf, schema.oneOf].flatMap((members) =>
      members === undefined ? [] : [members.map(part)],
    ),
    properties: new Map<string, KeyPart | undefined>([
      ...namesIn(schema).map((name) => [name, undefined] as const),
      ...Object.entries(properties).map(([name, one]) => [name, part(one)] as const),
    ]),
    patterns: Object.entries(patternProperties).map(([pattern, one]) => {
      const regex = compileRegex(pattern);
      return { matches: (key) => regex.test(key), schema: part(one) };
    }),
    additional,
    constrainsAllKeys: schema.maxProperties !== undefined || !acceptsAllTexts(schema.propertyNames),
    prefix: parts(...(schema.prefixItems ?? [])),
    items,
    anyItem: parts(schema.contains, schema.unevaluatedItems),
    values: schema.enum,
  };
}

/** Whether a schema of names accepts every text, such as the `{ "type": "string" }` that converters write for a record. */
function acceptsAllTexts(schema: JsonSchema = true): boolean {
  if (typeof schema === "boolean") return schema;
  const { type = "string", minLength = 0, allOf = [] } = schema;
  const isText =
    [type].flat().includes("string") && minLength === 0 && allOf.every((one) => acceptsAllTexts(one));
  return isText && NAME_RULES.every((keyword) => schema[keyword] === undefined);
}

const NAME_RULES = ["$ref", "enum", "maxLength", "pattern", "format", "anyOf", "oneOf", "not", "if"] as const;

function namesIn({
  required = [],
  dependentRequired = {},
  dependentSchemas = {},
}: Exclude<JsonSchema, boolean>): readonly string[] {
  const dependents = Object.entries(dependentRequired).flatMap(([name, names]) => [name, ...names]);
  return [...required, ...dependents, ...Object.keys(dependentSchemas)];
}
