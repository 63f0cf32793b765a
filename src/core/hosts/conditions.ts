/** The conditions of rules about hosts. Each returns the places where it holds. */
import {
  compilesPattern,
  findOwn,
  getOwn,
  isEqual,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listOrEmpty,
  objectOrEmpty,
} from "../json.js";
import { groupBy } from "../collections.js";
import { findAt, joinPointer } from "../json-pointer.js";
import { followReferences, holderOf, isSubschema, pointerOfRef, referredBy } from "../subschemas.js";
import { type HostHit, type HostRule, nodesOf, type SchemaNode, type HostToolView } from "./host.js";

/** The fields of Gemini's Schema. */
export const GEMINI_FIELDS: readonly string[] = (
  "anyOf default description enum example format items maxItems maxLength maxProperties maximum minItems minLength minProperties " +
  "minimum nullable pattern properties propertyOrdering required title type"
).split(" ");

type Find = HostRule["find"];
type InTool = (tool: HostToolView) => readonly HostHit[];

export function inTool(hits: InTool): Find {
  return (tools) =>
    tools.flatMap((tool) => {
      const hostHits = hits(tool);
      return hostHits.length > 0 ? [{ tool, hits: hostHits }] : [];
    });
}

/** Schemas of the input for which a test holds, or returns the keyword that it found. */
export function everywhere(
  test: (schema: JsonObject, tool: HostToolView) => boolean | string | undefined,
): Find {
  return inTool((tool) => tool.nodes.flatMap(({ schema, at }) => hitsAt(at, test(schema, tool))));
}

function hitsAt(at: string, verdict: boolean | string | undefined): readonly HostHit[] {
  if (typeof verdict === "string") return [{ at: joinPointer(at, verdict), detail: verdict }];
  return verdict === true ? [{ at }] : [];
}

export function atRoot(test: (root: JsonObject) => boolean | string | undefined): Find {
  return inTool(({ input }) => hitsAt("/inputSchema", isJsonObject(input) ? test(input) : true));
}

/** The first of these keywords that a schema has. */
export function keyword(...keywords: readonly string[]): (schema: JsonObject) => string | undefined {
  return (schema) => keywords.find((key) => Object.hasOwn(schema, key));
}

/** The first keyword of a schema that is not one of these. */
export function keywordBeside(...keywords: readonly string[]): (schema: JsonObject) => string | undefined {
  return (schema) => Object.keys(schema).find((key) => !keywords.includes(key) && !key.startsWith("x-"));
}

/** Names, with the part that the host adds, that do not match. */
export function nameUnlike(pattern: RegExp): Find {
  return inTool(({ sentName }) => (pattern.test(sentName) ? [] : [{ at: "/name", detail: sentName }]));
}

export function nameOver(most: number): Find {
  return inTool(({ sentName }) =>
    sentName.length <= most ? [] : [{ at: "/name", detail: `${sentName}, ${sentName.length} characters` }],
  );
}

export function descriptionOver(most: number): Find {
  return inTool(({ definition }) => {
    const description = getOwn(definition, "description");
    const isLong = typeof description === "string" && description.length > most;
    return isLong ? [{ at: "/description", detail: `${description.length} characters` }] : [];
  });
}

/** Keys of properties at the root that do not match. */
export function rootKeyUnlike(pattern: RegExp): Find {
  return inTool(({ input }) =>
    Object.keys(objectOrEmpty(findOwn(input, "properties")))
      .filter((key) => !pattern.test(key))
      .map((key) => ({ at: joinPointer("/inputSchema/properties", key), detail: key })),
  );
}

function inList(detail: string): ReturnType<Find> {
  return [{ hits: [{ at: "", detail }] }];
}

/** More tools than a host takes from all servers. */
export function tooMany(most: number): { readonly mostTools: number; readonly find: Find } {
  return { mostTools: most, find: (tools) => (tools.length > most ? inList(`${tools.length} tools`) : []) };
}

/** The length of a value as compact JSON. */
export function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** Definitions of all servers with more tokens than a host recommends. */
export function tokensOver(most: number): Find {
  return (tools) => {
    const bytes = tools.reduce((sum, { name, definition, input }) => {
      return sum + bytesOf({ name, description: getOwn(definition, "description"), inputSchema: input });
    }, 0);
    const tokens = bytes / 4;
    return tokens > most ? inList(`about ${Math.round(tokens / 1_000)},000 tokens`) : [];
  };
}

/** Tools whose names are equal where the host uses them, after it has replaced characters or cut the name. */
export function sameName(write: (name: string) => string = (name) => name): Find {
  return (tools) =>
    [...groupBy(tools, ({ sentName }) => write(sentName))].flatMap(([name, those]) =>
      those.length > 1 ? those.map((tool) => ({ tool, hits: [{ at: "/name", detail: name }] })) : [],
    );
}

export function schemaTypes(schema: JsonObject): readonly JsonValue[] {
  const type = getOwn(schema, "type");
  return isJsonArray(type) ? type : type === undefined ? [] : [type];
}

/** An array, at least as one of several types, without `items`. */
export function isArrayWithoutItems(schema: JsonObject): boolean {
  return schemaTypes(schema).includes("array") && !Object.hasOwn(schema, "items");
}

export function isObjectSchema(schema: JsonObject): boolean {
  return schemaTypes(schema).includes("object") || Object.hasOwn(schema, "properties");
}

/** The names in `required` that the same schema does not declare. */
export function undeclaredIn(schema: JsonObject): readonly string[] {
  const properties = objectOrEmpty(getOwn(schema, "properties"));
  return listOrEmpty(getOwn(schema, "required")).filter(
    (name): name is string => typeof name === "string" && !Object.hasOwn(properties, name),
  );
}

export function requiresUndeclared(schema: JsonObject): string | undefined {
  return undeclaredIn(schema).length > 0 ? "required" : undefined;
}

/** The properties that are not required, of every object. */
export function optionalProperties({ nodes }: HostToolView): readonly HostHit[] {
  return nodes.flatMap(({ schema, at }) => {
    const names = listOrEmpty(getOwn(schema, "required"));
    return Object.keys(objectOrEmpty(getOwn(schema, "properties")))
      .filter((name) => !names.includes(name))
      .map((name) => ({ at: joinPointer(`${at}/properties`, name), detail: name }));
  });
}

/** Whether an object takes keys that it does not declare, by what it says: absent means open. */
export function isOpen(schema: JsonObject): boolean {
  return isObjectSchema(schema) && getOwn(schema, "additionalProperties") !== false;
}

/** Whether an object is a map: it says that it takes other keys, or does not say which it takes. */
export function isMap(schema: JsonObject): boolean {
  const more = getOwn(schema, "additionalProperties");
  return (
    isObjectSchema(schema) && (more === undefined ? !Object.hasOwn(schema, "properties") : more !== false)
  );
}

/** Whether a pattern looks ahead or behind. An escaped parenthesis, or one in a class, does not. */
function looksAround(pattern: JsonValue | undefined): boolean {
  if (typeof pattern !== "string") return false;
  const bare = pattern.replace(/\\[\s\S]/g, "").replace(/\[[^\]]*(?:\]|$)/g, "");
  return /\(\?(?:[=!]|<[=!])/.test(bare);
}

export function hasLookaround(schema: JsonObject): string | undefined {
  return looksAround(getOwn(schema, "pattern")) ? "pattern" : undefined;
}

/** Whether a reference leads into definitions and not elsewhere, or nowhere. */
export function refersElsewhere(schema: JsonObject): string | undefined {
  const ref = getOwn(schema, "$ref");
  return typeof ref === "string" && !/^#\/(?:\$defs|definitions)\/[^/]+$/.test(ref) ? "$ref" : undefined;
}

export function hasSiblingsOfRef(schema: JsonObject): string | undefined {
  return Object.hasOwn(schema, "$ref") && Object.keys(schema).length > 1 ? "$ref" : undefined;
}

/** Whether following the reference of a schema leads back to it. */
export function isRecursive({ schema }: SchemaNode, root: JsonObject): boolean {
  const target = referredBy(schema, root);
  if (!isJsonObject(target)) return false;
  if (followReferences(schema, root) === undefined) return true;
  const seen = new Set<JsonValue>();
  const reaches = (from: JsonObject): boolean =>
    nodesOf(from, "").some((inner) => {
      const next = referredBy(inner.schema, root);
      if (!isJsonObject(next)) return false;
      if (next === target) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return reaches(next);
    });
  return reaches(target);
}

/** The first keyword whose value its meta-schema refuses, in 2020-12 or draft-07. */
export function breaksMetaSchema(isNew: boolean): (schema: JsonObject) => string | undefined {
  return (schema) => Object.entries(schema).find(([key, value]) => !isAllowed(key, value, isNew))?.[0];
}

const TYPES: readonly JsonValue[] = ["string", "number", "integer", "boolean", "object", "array", "null"];

type IsAllowed = (value: JsonValue, isNew: boolean) => boolean;

const isText: IsAllowed = (value) => typeof value === "string";
const isNumber: IsAllowed = (value) => typeof value === "number";
const isCount: IsAllowed = (value) => typeof value === "number" && Number.isInteger(value) && value >= 0;

/** The values that a keyword may have, for keywords that do not hold schemas or hold something else too. */
const ALLOWED: Readonly<Record<string, IsAllowed>> = {
  title: isText,
  description: isText,
  format: isText,
  $ref: isText,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  minContains: isCount,
  maxContains: isCount,
  type: (value) =>
    isJsonArray(value)
      ? value.length > 0 && value.every((type) => TYPES.includes(type))
      : TYPES.includes(value),
  required: (value) => isJsonArray(value) && value.every((name) => typeof name === "string"),
  enum: (value, isNew) => isJsonArray(value) && (isNew || value.length > 0),
  multipleOf: (value) => typeof value === "number" && value > 0,
  uniqueItems: (value) => typeof value === "boolean",
  // Servers write patterns for engines with and without the flag `u`.
  pattern: (value) =>
    typeof value === "string" && (compilesPattern(value, "u") || compilesPattern(value, "")),
  items: (value, isNew) => (isJsonArray(value) ? !isNew && value.every(isSubschema) : isSubschema(value)),
  dependencies: isJsonObject,
};

const HOLDS: Readonly<Record<NonNullable<ReturnType<typeof holderOf>>, (value: JsonValue) => boolean>> = {
  one: isSubschema,
  list: (value) => isJsonArray(value) && value.length > 0 && value.every(isSubschema),
  map: (value) => isJsonObject(value) && Object.values(value).every(isSubschema),
};

function isAllowed(key: string, value: JsonValue, isNew: boolean): boolean {
  const holder = holderOf(key);
  const allows = getOwn(ALLOWED, key) ?? (holder === undefined ? undefined : HOLDS[holder]);
  return allows === undefined || allows(value, isNew);
}

/** Whether the values of an enum are of several types, or of another than the type of the schema. */
export function hasMixedEnum(schema: JsonObject): string | undefined {
  const values = getOwn(schema, "enum");
  if (!isJsonArray(values) || values.length === 0) return undefined;
  const types = new Set(values.map((value) => (value === null ? "null" : typeof value)));
  types.delete("null");
  const named = schemaTypes(schema)
    .filter((type) => type !== "null")
    .map((type) => (type === "integer" ? "number" : type));
  const [type] = types;
  const fits = types.size <= 1 && (type === undefined || named.length === 0 || isEqual(named, [type]));
  return fits ? undefined : "enum";
}

/** The parts of a definition at which clients made with the SDK lose the whole list. */
export function misshapen({ definition }: HostToolView): readonly HostHit[] {
  const unlike = (at: string, hasShape: (value: JsonValue) => boolean): readonly HostHit[] => {
    const value = findAt(definition, at);
    return value === undefined || hasShape(value) ? [] : [{ at, detail: shapeOf(value) }];
  };
  const isString = (value: JsonValue): boolean => typeof value === "string";
  const schemas = ["inputSchema", "outputSchema"].flatMap((side): readonly HostHit[] => {
    const schema = getOwn(definition, side);
    if (schema === undefined) return side === "inputSchema" ? [{ at: "", detail: "no inputSchema" }] : [];
    if (!isJsonObject(schema)) return unlike(`/${side}`, isJsonObject);
    const isOfObjects = getOwn(schema, "type") === "object";
    return [
      ...(isOfObjects ? [] : [{ at: `/${side}`, detail: 'its type is not "object"' }]),
      ...unlike(`/${side}/properties`, isJsonObject),
      ...unlike(`/${side}/required`, (value) => isJsonArray(value) && value.every(isString)),
    ];
  });
  return [
    ...schemas,
    ...unlike("/title", isString),
    ...unlike("/description", isString),
    ...unlike("/annotations", isJsonObject),
    ...unlike("/_meta", isJsonObject),
    ...unlike("/icons", isJsonArray),
  ];
}

/** Schemas of properties that are `true` or `false`. */
export function booleanProperties({ definition }: HostToolView): readonly HostHit[] {
  return ["inputSchema", "outputSchema"].flatMap((side) => {
    const properties = objectOrEmpty(findOwn(getOwn(definition, side), "properties"));
    return Object.entries(properties).flatMap(([name, value]) =>
      typeof value === "boolean"
        ? [{ at: joinPointer(`/${side}/properties`, name), detail: String(value) }]
        : [],
    );
  });
}

/** References of the output schema without a target, and patterns that do not compile with the flag `u`. */
export function uncompilableOutput({ definition }: HostToolView): readonly HostHit[] {
  const output = getOwn(definition, "outputSchema");
  if (!isJsonObject(output)) return [];
  return nodesOf(output, "/outputSchema").flatMap(({ schema, at }): readonly HostHit[] => {
    const [ref, pattern] = ["$ref", "pattern"].map((key) => getOwn(schema, key));
    const isLost = pointerOfRef(schema) !== undefined && referredBy(schema, output) === undefined;
    if (isLost && typeof ref === "string") return [{ at: joinPointer(at, "$ref"), detail: ref }];
    if (typeof pattern !== "string" || compilesPattern(pattern, "u")) return [];
    return [{ at: joinPointer(at, "pattern"), detail: pattern }];
  });
}

/** The `$schema` of a side, if it is there and does not match. */
export function dialectUnlike(side: "inputSchema" | "outputSchema", pattern: RegExp): Find {
  return inTool(({ definition }) => {
    const dialect = findOwn(getOwn(definition, side), "$schema");
    return typeof dialect !== "string" || pattern.test(dialect)
      ? []
      : [{ at: `/${side}/$schema`, detail: dialect }];
  });
}

function shapeOf(value: JsonValue): string {
  return JSON.stringify(value).slice(0, 60);
}
