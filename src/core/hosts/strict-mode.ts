/** Strict mode of OpenAI: where a schema has such a form, as `strictToolSchema.ts` of @openai/agents-core 0.20 decides it. */
import {
  findOwn,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listOrEmpty,
  objectOrEmpty,
} from "../json.js";
import { joinPointer } from "../json-pointer.js";
import { followReferences, mapSubschemas, referredBy } from "../subschemas.js";
import { hasSiblingsOfRef, schemaTypes } from "./conditions.js";
import { type HostHit, nodesOf, type HostToolView } from "./host.js";

const UNSUPPORTED = (
  "$dynamicRef $recursiveRef additionalItems allOf contains contentSchema dependencies dependentRequired dependentSchemas else if " +
  "maxContains minContains not oneOf patternProperties prefixItems propertyNames then unevaluatedItems unevaluatedProperties"
).split(" ");
const METADATA =
  "$anchor $comment $defs $id $ref $schema default deprecated description definitions examples readOnly title writeOnly".split(
    " ",
  );

export function leavesStrictMode({
  input,
  nodes,
}: Pick<HostToolView, "input" | "nodes">): readonly HostHit[] {
  if (!isJsonObject(input) || Object.keys(input).length === 0) return [];
  return nodes.flatMap(({ schema, at }): readonly HostHit[] => {
    const isRoot = schema === input;
    const keyword =
      findUnsupported(schema, isRoot) ?? (hasOptionalBranch(schema, input) ? "anyOf" : undefined);
    if (keyword === undefined) return [];
    return [keyword === "" ? { at } : { at: joinPointer(at, keyword), detail: keyword }];
  });
}

/** The keyword that strict mode does not support; empty for an open object. */
function findUnsupported(schema: JsonObject, isRoot: boolean): string | undefined {
  const keys = Object.keys(schema);
  const unsupported = keys.find((key) => UNSUPPORTED.includes(key));
  if (unsupported !== undefined) return unsupported;
  if (!isRoot && keys.includes("$id")) return "$id";
  if (keys.includes("$ref") && keys.some((key) => !METADATA.includes(key))) return "$ref";
  // The SDK adds the type, properties and required names of the root.
  const isAlone = !isRoot && keys.every((key) => key === "anyOf" || METADATA.includes(key));
  if (keys.includes("anyOf") && !isAlone) return "anyOf";
  const properties = getOwn(schema, "properties");
  const declares = isJsonObject(properties) && Object.keys(properties).length > 0;
  const isClosed = getOwn(schema, "additionalProperties") === false;
  const isOpened = keys.includes("additionalProperties");
  const lacksType = !isRoot && !keys.includes("type");
  if (lacksType) return isClosed || (!isOpened && !isJsonObject(properties)) ? undefined : "";
  const isObject = isRoot || schemaTypes(schema).includes("object");
  return isObject && !isClosed && (!declares || isOpened) ? "" : undefined;
}

/** Whether a branch of `anyOf` has an optional property that may not be null: the SDK cannot know what null means then. */
function hasOptionalBranch(schema: JsonObject, root: JsonObject): boolean {
  return listOrEmpty(getOwn(schema, "anyOf")).some((branch) => hasOptional(branch, root, new Set()));
}

function hasOptional(schema: JsonValue, root: JsonObject, seen: Set<JsonValue>): boolean {
  if (!isJsonObject(schema) || seen.has(schema)) return false;
  seen.add(schema);
  const target = referredBy(schema, root);
  if (target !== undefined) return hasOptional(target, root, seen);
  const [required, items, branches] = ["required", "items", "anyOf"].map((key) => getOwn(schema, key));
  if (isJsonArray(branches)) return branches.some((branch) => hasOptional(branch, root, seen));
  const names = listOrEmpty(required);
  const isAffected = Object.entries(objectOrEmpty(getOwn(schema, "properties"))).some(
    ([name, property]) =>
      (!names.includes(name) && !acceptsNull(property, root, 0)) || hasOptional(property, root, seen),
  );
  return (
    isAffected || (isJsonArray(items) ? items : [items ?? true]).some((item) => hasOptional(item, root, seen))
  );
}

function acceptsNull(schema: JsonValue, root: JsonObject, depth: number): boolean {
  if (!isJsonObject(schema) || depth > 16) return schema === true;
  const types = schemaTypes(schema);
  if (types.length > 0 && !types.includes("null")) return false;
  const values = getOwn(schema, "enum");
  if (isJsonArray(values) && !values.includes(null)) return false;
  if (Object.hasOwn(schema, "const") && findOwn(schema, "const") !== null) return false;
  const target = referredBy(schema, root);
  if (target !== undefined && !acceptsNull(target, root, depth + 1)) return false;
  const branches = getOwn(schema, "anyOf");
  if (isJsonArray(branches)) return branches.some((branch) => acceptsNull(branch, root, depth + 1));
  return types.length > 0 || !isJsonObject(getOwn(schema, "properties"));
}

/** The formats that OpenAI documents for strict mode. */
export const STRICT_FORMATS: readonly JsonValue[] = [
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uuid",
];
/** Keywords of the same guide that the SDK lets pass. */
const UNENFORCED = ["uniqueItems", "minProperties", "maxProperties"];
const MOST = { properties: 5_000, levels: 10, values: 1_000, characters: 120_000 };

/** Whether a schema says nothing that OpenAI takes as its type. */
export function isTypeless(schema: JsonObject): boolean {
  return !["type", "anyOf", "$ref"].some((key) => Object.hasOwn(schema, key));
}

/**
 * The properties that may be absent, and may be null for a reason of their own: once they are required, a model has to write
 * null for both, and servers read a null as "empty this".
 */
export function nullableOptionals({
  input,
  nodes,
}: Pick<HostToolView, "input" | "nodes">): readonly HostHit[] {
  const root = objectOrEmpty(input);
  return nodes.flatMap(({ schema, at }) => {
    const names = listOrEmpty(getOwn(schema, "required"));
    return Object.entries(objectOrEmpty(getOwn(schema, "properties")))
      .filter(([name, property]) => !names.includes(name) && acceptsNull(property, root, 0))
      .map(([name]) => ({ at: joinPointer(`${at}/properties`, name), detail: name }));
  });
}

/** Whether OpenAI can enforce a schema, once every property is required, and null can only mean that one was left out. */
export function isStrictForm(schema: JsonObject): boolean {
  const nodes = nodesOf(schema, "");
  const view = { input: schema, nodes };
  if (leavesStrictMode(view).length > 0 || nullableOptionals(view).length > 0) return false;
  const hasTypes = nodes.every(
    (node) =>
      (node.schema === schema || !isTypeless(node.schema)) &&
      [
        getOwn(node.schema, "items") ?? {},
        ...Object.values(objectOrEmpty(getOwn(node.schema, "properties"))),
      ].every(isJsonObject),
  );
  if (!hasTypes) return false;
  const names = nodes.flatMap((node) => Object.keys(objectOrEmpty(getOwn(node.schema, "properties"))));
  const values = nodes.flatMap((node) => listOrEmpty(getOwn(node.schema, "enum")));
  const characters = [...names, ...values.map(String)].reduce((sum, text) => sum + text.length, 0);
  const levels = Math.max(...nodes.map(({ at }) => at.split(/\/(?:properties\/[^/]*|items)(?=\/|$)/).length));
  return (
    nodes.every(
      (node) =>
        STRICT_FORMATS.includes(getOwn(node.schema, "format") ?? "date") &&
        hasSiblingsOfRef(node.schema) === undefined &&
        UNENFORCED.every((key) => !Object.hasOwn(node.schema, key)),
    ) &&
    names.length <= MOST.properties &&
    levels <= MOST.levels &&
    values.length <= MOST.values &&
    characters <= MOST.characters
  );
}

/** Requires every property. Those that were optional may be null, see {@link dropNulls}. */
export function toStrictForm(schema: JsonObject, root: JsonObject = schema): JsonObject {
  const inner = mapSubschemas(schema, (subschema) => toStrictForm(subschema, root));
  const properties = getOwn(inner, "properties");
  if (schema !== root && !isJsonObject(properties)) return inner;
  const written = Object.entries(objectOrEmpty(properties)).map(([name, property]): [string, JsonValue] => [
    name,
    isAdded(name, schema, root) ? { anyOf: [property, { type: "null" }] } : property,
  ]);
  return {
    ...inner,
    properties: Object.fromEntries(written),
    required: written.map(([name]) => name),
    additionalProperties: false,
  };
}

/** Whether null stands for an absent property: one that is optional and may not be null. */
function isAdded(name: string, schema: JsonObject, root: JsonObject): boolean {
  const property = findOwn(getOwn(schema, "properties"), name);
  return !listOrEmpty(getOwn(schema, "required")).includes(name) && !acceptsNull(property ?? true, root, 0);
}

/** Removes the properties that are null because they are optional. */
export function dropNulls(value: unknown, part: JsonValue, root: JsonObject): unknown {
  const schema = followReferences(part, root);
  if (!isJsonObject(schema)) return value;
  const [items, properties] = ["items", "properties"].map((key) => getOwn(schema, key));
  if (isJsonArray(value)) return value.map((item) => dropNulls(item, items ?? true, root));
  if (!isJsonObject(value) || !isJsonObject(properties)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, inner]) => inner !== null || !isAdded(name, schema, root))
      .map(([name, inner]) => [name, dropNulls(inner, getOwn(properties, name) ?? true, root)]),
  );
}
