/** Where the OpenAI Agents SDK leaves strict mode, as `strictToolSchema.ts` of @openai/agents-core 0.20 decides it. */
import { findOwn, getOwn, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../json.js";
import { joinPointer } from "../json-pointer.js";
import { referredBy } from "../subschemas.js";
import { schemaTypes } from "./conditions.js";
import type { HostHit, ToolView } from "./host.js";

const UNSUPPORTED = [
  ...[
    "$dynamicRef",
    "$recursiveRef",
    "additionalItems",
    "allOf",
    "contains",
    "contentSchema",
    "dependencies",
  ],
  ...["dependentRequired", "dependentSchemas", "else", "if", "maxContains", "minContains", "not", "oneOf"],
  ...[
    "patternProperties",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
  ],
];
const METADATA = [
  ...["$anchor", "$comment", "$defs", "$id", "$ref", "$schema", "default", "deprecated", "description"],
  ...["definitions", "examples", "readOnly", "title", "writeOnly"],
];

export function leavesStrictMode({ input, nodes }: ToolView): readonly HostHit[] {
  if (!isJsonObject(input) || Object.keys(input).length === 0) return [];
  return nodes.flatMap(({ schema, at }): readonly HostHit[] => {
    const isRoot = schema === input;
    const found = findUnsupported(schema, isRoot) ?? (hasOptionalBranch(schema, input) ? "anyOf" : undefined);
    if (found === undefined) return [];
    return [found === "" ? { at } : { at: joinPointer(at, found), detail: found }];
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
  const isTypeless = !isRoot && !keys.includes("type");
  if (isTypeless) return isClosed || (!isOpened && !isJsonObject(properties)) ? undefined : "";
  const isObject = isRoot || schemaTypes(schema).includes("object");
  return isObject && !isClosed && (!declares || isOpened) ? "" : undefined;
}

/** Whether a branch of `anyOf` has an optional property that may not be null: the SDK cannot know what null means then. */
function hasOptionalBranch(schema: JsonObject, root: JsonObject): boolean {
  const branches = getOwn(schema, "anyOf");
  return isJsonArray(branches) && branches.some((branch) => hasOptional(branch, root, new Set()));
}

function hasOptional(schema: JsonValue, root: JsonObject, seen: Set<JsonValue>): boolean {
  if (!isJsonObject(schema) || seen.has(schema)) return false;
  seen.add(schema);
  const target = referredBy(schema, root);
  if (target !== undefined) return hasOptional(target, root, seen);
  const [required, items, branches] = ["required", "items", "anyOf"].map((key) => getOwn(schema, key));
  if (isJsonArray(branches)) return branches.some((branch) => hasOptional(branch, root, seen));
  const properties = getOwn(schema, "properties");
  const names = isJsonArray(required) ? required : [];
  const isAffected = Object.entries(isJsonObject(properties) ? properties : {}).some(
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
