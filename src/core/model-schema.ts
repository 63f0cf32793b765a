import { dropUnusedDefinitions, showSchema } from "./show-schema.js";
import {
  findOwn,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listOrEmpty,
  mapEntries,
  objectOrEmpty,
  withoutKeys,
} from "./json.js";
import { DEEPEST_USABLE } from "./limits.js";
import { holderOf, mapSubschemas, referredBy } from "./subschemas.js";
import type { LockedServer } from "./lockfile.js";
import type { ToolSnapshot } from "./snapshot.js";
import type { Diagnostic } from "./diagnostic.js";
import { findKeyword } from "./keywords.js";
import { printable } from "./printable.js";

/** An input schema as providers take it: an object at the top, without alternatives there. */
export type ModelSchema = { readonly type: "object" } & { readonly [keyword: string]: unknown };

/** Keywords that Anthropic (the first three) and OpenAI refuse at the top. */
export const NOT_AT_TOP: readonly string[] = ["allOf", "anyOf", "oneOf", "not", "enum", "const"];

/**
 * Returns a raw input schema as models see it, changed further only where providers would refuse the request: lists of PHP for
 * objects, `required` inside a property, arrays without `items`, and alternatives at the top, whose properties are merged.
 */
export function toModelSchema(raw: unknown): ModelSchema {
  return { ...dropUnusedDefinitions(toObjectSchema(raw)), type: "object" };
}

function toObjectSchema(raw: unknown): JsonObject {
  const schema = isJsonObject(raw) ? repair(showSchema(raw), 0) : {};
  const top = followReference(schema, schema);
  if (getOwn(top, "type") === "object" && NOT_AT_TOP.every((key) => !Object.hasOwn(top, key))) {
    // OpenAI refuses an object that says nothing of its properties.
    return { ...top, type: "object", properties: getOwn(top, "properties") ?? {} };
  }
  const rest = Object.entries(withoutKeys(top, ...NOT_AT_TOP, "type", "required"));
  return { type: "object", ...Object.fromEntries([...rest, ...mergeBranches(top)]) };
}

function repair(schema: JsonObject, depth: number): JsonObject {
  if (depth > DEEPEST_USABLE) return schema;
  const needed = requiredInside(schema);
  // PHP writes an empty object as an empty array.
  const withObjects = mapEntries(schema, (value, key) =>
    holderOf(key) === "map" && isJsonArray(value) && value.length === 0 ? {} : value,
  );
  const repaired = mapSubschemas(withObjects, (subschema) => repair(subschema, depth + 1));
  const entries = Object.entries(repaired).filter(([key, value]) => key !== "required" || isJsonArray(value));
  if ([getOwn(repaired, "type")].flat().includes("array") && !Object.hasOwn(repaired, "items"))
    entries.push(["items", {}]);
  const names = [...new Set([...listOrEmpty(getOwn(repaired, "required")), ...needed])];
  return Object.fromEntries([...entries, ...(needed.length > 0 ? [["required", names] as const] : [])]);
}

/** Properties that say `required: true` of themselves, as in draft 3 and in much of WordPress. */
export function requiredInside(schema: JsonObject): readonly string[] {
  return propertiesOf(schema).flatMap(([name, property]) =>
    findOwn(property, "required") === true ? [name] : [],
  );
}

function followReference(schema: JsonObject, root: JsonObject): JsonObject {
  const target = referredBy(schema, root);
  if (!isJsonObject(target) || target === root) return schema;
  return { ...target, ...withoutKeys(schema, "$ref") };
}

/** `properties` and `required` of a schema with those of its alternatives; only what all of them need is required. */
export function mergeBranches(schema: JsonObject, root = schema): readonly (readonly [string, JsonValue])[] {
  const properties = new Map<string, JsonValue>(propertiesOf(schema));
  const required = new Set(namesOf(schema));
  for (const key of ["allOf", "anyOf", "oneOf"]) {
    const branches = listOrEmpty(getOwn(schema, key))
      .filter(isJsonObject)
      .map((branch) => followReference(branch, root));
    for (const [name, property] of branches.flatMap(propertiesOf)) {
      const before = properties.get(name);
      const isSame = before === undefined || JSON.stringify(before) === JSON.stringify(property);
      properties.set(name, isSame ? property : { [key === "allOf" ? "allOf" : "anyOf"]: [before, property] });
    }
    const needs = branches.map(namesOf);
    for (const name of needs.flat()) {
      if (key === "allOf" || needs.every((names) => names.includes(name))) required.add(name);
    }
  }
  const names = [...required];
  return [
    ["properties", Object.fromEntries(properties)],
    ...(names.length > 0 ? [["required", names] as const] : []),
  ];
}

function propertiesOf(schema: JsonObject): readonly (readonly [string, JsonValue])[] {
  return Object.entries(objectOrEmpty(getOwn(schema, "properties")));
}

function namesOf(schema: JsonObject): readonly string[] {
  return listOrEmpty(getOwn(schema, "required")).filter((name) => typeof name === "string");
}

/** Returns the text whose tokens are counted: name, description and input schema as JSON, as the adapters send them. */
export function tokenText(definition: ToolSnapshot): string {
  const { name } = definition;
  const description = getOwn(definition, "description");
  const inputSchema = toModelSchema(getOwn(definition, "inputSchema"));
  return JSON.stringify({ name, description, inputSchema });
}

/** Estimates tokens that were not counted: UTF-8 bytes divided by four, a few percent too many. */
export function estimateTokens(definition: ToolSnapshot): number {
  return Math.ceil(new TextEncoder().encode(tokenText(definition)).length / 4);
}

/** A server's tokens: the sum over its tools, and whether some of them are estimated. */
export function sumTokens({ tools }: { readonly tools: LockedServer["tools"] }): {
  readonly tokens: number;
  readonly isEstimate: boolean;
} {
  let tokens = 0;
  let isEstimate = false;
  for (const tool of Object.values(tools)) {
    isEstimate ||= tool.tokens === undefined;
    tokens += tool.tokens ?? estimateTokens(tool.definition);
  }
  return { tokens, isEstimate };
}

/** How many tools the message names. */
const NAMED = 5;

/**
 * Returns a warning where input schemas say nothing about the arguments, not even that they are an object (specification,
 * "Tool"): such a schema accepts everything, a model has to guess, and some hosts refuse it.
 */
export function findVagueSchemas(server: string, tools: readonly ToolSnapshot[]): readonly Diagnostic[] {
  const names = tools.filter((tool) => saysNothing(getOwn(tool, "inputSchema"))).map(({ name }) => name);
  if (names.length === 0) return [];
  const shown = names.slice(0, NAMED).map((name) => printable(name, 80));
  const rest = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  const list = `${shown.join(", ")}${rest}`;
  const subject =
    names.length === 1
      ? `The input schema of ${list} has`
      : `The input schemas of ${names.length} tools (${list}) have`;
  const message = `${subject} no \`type\` and no \`properties\`: any arguments are accepted, and models have to guess them.`;
  return [{ code: "SERVER_VAGUE", server, tool: "", path: "", message }];
}

function saysNothing(schema: JsonValue | undefined): boolean {
  if (!isJsonObject(schema)) return false;
  return Object.entries(schema).every(([key, value]) => {
    const keyword = findKeyword(key);
    const isDefinition = keyword?.isApart === true;
    const isEmpty = value === true || (isJsonObject(value) && Object.keys(value).length === 0);
    return keyword === undefined || isDefinition || (key === "additionalProperties" && isEmpty);
  });
}
