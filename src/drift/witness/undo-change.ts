import { getOwn, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.js";
import { findAt, joinPointer, splitPointer } from "../../contract/json-pointer.js";
import { isEqual } from "../is-equal.js";
import type { WitnessRequest } from "../finding.js";
import { editValue } from "./edit-value.js";
import { listOf, mapOf, type Step } from "./schema-part.js";

/** A change between two schemas. */
export interface ChangedPart extends Pick<WitnessRequest, "rule" | "at" | "value" | "names"> {
  /** The branch of a union that only one of the schemas has. The other schema may have another branch at its pointer. */
  readonly branch?: JsonValue | undefined;
}

/**
 * Returns a copy of the schema `to` that has the part of the schema `from` at the place of a change. If `from` is the schema
 * before the change, this undoes the change; if it is the schema after, this makes only that change. Returns undefined if
 * the schemas have too little in common to exchange less than the whole.
 */
export function copyPart(from: JsonValue, to: JsonValue, part: ChangedPart): JsonValue | undefined {
  const copies = [copyProperties, copyValue, copyBranch, copyKeyword];
  for (const copy of copies) {
    const copied = copy(from, to, part);
    if (copied !== undefined) return copied;
  }
  return undefined;
}

/** Copies a property, or its absence, and whether it is required. */
function copyProperties(
  from: JsonValue,
  to: JsonValue,
  { rule, at, names }: ChangedPart,
): JsonValue | undefined {
  if (rule?.includes("property-") !== true || rule.startsWith("additional-")) return undefined;
  const [, site, step] = /^(.*)\/properties\/([^/]*)$/.exec(at) ?? [];
  const name = splitPointer(`/${step ?? ""}`)[0];
  if (site === undefined || name === undefined) return undefined;
  const [source, target] = [findAt(from, site), findAt(to, site)];
  if (!isJsonObject(source) || !isJsonObject(target)) return undefined;
  const isSchemaKept = rule === "property-became-required" || rule === "property-became-optional";
  let copied: JsonObject = target;
  for (const each of names ?? [name]) {
    if (!isSchemaKept) copied = withProperty(copied, each, getOwn(mapOf(getOwn(source, "properties")), each));
    copied = withRequired(copied, each, isRequired(source, each));
  }
  return replaceAt(to, site, copied);
}

function withProperty(schema: JsonObject, name: string, property: JsonValue | undefined): JsonObject {
  const others = Object.entries(mapOf(getOwn(schema, "properties"))).filter(([other]) => other !== name);
  const properties = Object.fromEntries(property === undefined ? others : [...others, [name, property]]);
  return { ...schema, properties };
}

function withRequired(schema: JsonObject, name: string, is: boolean): JsonObject {
  const rest = Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== "required"));
  const others = listOf(getOwn(schema, "required")).filter((other) => other !== name);
  const required = is ? [...others, name] : others;
  // Draft 4 does not allow an empty list.
  return required.length === 0 ? rest : { ...rest, required };
}

function isRequired(schema: JsonObject, name: string): boolean {
  return listOf(getOwn(schema, "required")).includes(name);
}

/** Copies one value of an enumeration, or its absence. */
function copyValue(from: JsonValue, to: JsonValue, { at, value }: ChangedPart): JsonValue | undefined {
  const [source, target] = [findAt(from, at), findAt(to, at)];
  if (value === undefined || !isJsonArray(source) || !isJsonArray(target)) return undefined;
  const isIn = (list: readonly JsonValue[]): boolean => list.some((each) => isEqual(each, value));
  const others = target.filter((each) => !isEqual(each, value));
  return replaceAt(to, at, isIn(source) ? [...others, value] : others);
}

/** Copies one branch of a union, or its absence. */
function copyBranch(
  from: JsonValue,
  to: JsonValue,
  { rule, at, branch = findAt(from, at) ?? findAt(to, at) }: ChangedPart,
): JsonValue | undefined {
  if (rule !== "union-branch-added" && rule !== "union-branch-removed") return undefined;
  const union = at.slice(0, at.lastIndexOf("/"));
  const [source, target] = [findAt(from, union), findAt(to, union)];
  if (branch === undefined || !isJsonArray(source) || !isJsonArray(target)) return undefined;
  const isIn = (list: readonly JsonValue[]): boolean => list.some((each) => isEqual(each, branch));
  const others = target.filter((each) => !isEqual(each, branch));
  const copied = isIn(source) ? [...others, branch] : others;
  return copied.length === 0 ? undefined : replaceAt(to, union, copied);
}

/** Copies a keyword with its family; if only one schema has the place, copies the innermost schema that both have. */
function copyKeyword(from: JsonValue, to: JsonValue, { at }: ChangedPart): JsonValue | undefined {
  const steps = splitPointer(at);
  const keyword = steps.at(-1);
  const site = joinPointer("", ...steps.slice(0, -1));
  const [source, target] = [findAt(from, site), findAt(to, site)];
  const family = FAMILIES.find((keywords) => keyword !== undefined && keywords.includes(keyword));
  if (family !== undefined && isJsonObject(source) && isJsonObject(target)) {
    const others = Object.entries(target).filter(([key]) => !family.includes(key));
    const copied = Object.entries(source).filter(([key]) => family.includes(key));
    return replaceAt(to, site, Object.fromEntries([...others, ...copied]));
  }
  for (const pointer of schemasAround(steps)) {
    const found = findAt(from, pointer);
    if (isSchema(found) && isSchema(findAt(to, pointer))) return replaceAt(to, pointer, found);
  }
  return undefined;
}

/** The pointers of the schemas on the way to a place, the innermost first, without the root. */
function schemasAround(steps: readonly string[]): readonly string[] {
  const pointers: string[] = [];
  for (let at = 0; at < steps.length;) {
    const isIndexed = steps[at] === "items" && /^\d+$/.test(steps[at + 1] ?? "");
    at += NAMED.has(steps[at] ?? "") || isIndexed ? 2 : 1;
    if (at <= steps.length) pointers.unshift(joinPointer("", ...steps.slice(0, at)));
  }
  return pointers;
}

/** Keywords with schemas by name or index. */
const NAMED: ReadonlySet<string> = new Set([
  ...["properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"],
  ...["anyOf", "oneOf", "allOf", "prefixItems"],
]);

function isSchema(value: JsonValue | undefined): value is JsonValue {
  return typeof value === "boolean" || isJsonObject(value);
}

/** Keywords that change together. */
const FAMILIES: readonly (readonly string[])[] = [
  ["type"],
  ["enum", "const"],
  ["minimum", "exclusiveMinimum"],
  ["maximum", "exclusiveMaximum"],
  ["anyOf", "oneOf"],
  ["if", "then", "else"],
  ...[
    "multipleOf", "pattern", "format", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties",
    "maxProperties", "required", "additionalProperties", "unevaluatedProperties", "propertyNames", "not",
  ].map((keyword) => [keyword]),
]; // prettier-ignore

function replaceAt(schema: JsonValue, pointer: string, value: JsonValue): JsonValue {
  const path: Step[] = [];
  let at: JsonValue | undefined = schema;
  for (const step of splitPointer(pointer)) {
    path.push(Array.isArray(at) ? Number(step) : step);
    at = findAt(at ?? null, joinPointer("", step));
  }
  return editValue(schema, path, () => value);
}
