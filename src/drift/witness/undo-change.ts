import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listOrEmpty,
  objectOrEmpty,
} from "../../core/json.js";
import { findAt, isSameJson, joinPointer, splitPointer } from "../../core/json-pointer.js";
import { holderOf } from "../../core/subschemas.js";
import type { WitnessedChange } from "../finding.js";
import { editAt } from "./instance-places.js";

/** A change between two schemas. */
export interface ChangedPart extends WitnessedChange {
  /** The branch of a union that only one of the schemas has. The other schema may have another branch at its pointer. */
  readonly branch?: JsonValue | undefined;
}

/**
 * Returns a copy of the schema `to` that has the part of the schema `from` at the place of a change. If `from` is the schema
 * before the change, this undoes the change; if it is the schema after, this makes only that change. Returns undefined if
 * the schemas have too little in common to exchange less than the whole.
 */
export function copyPart(from: JsonValue, to: JsonValue, part: ChangedPart): JsonValue | undefined {
  const copies = [copyProperties, copyValue, copyBranch, copyKeyword, copyReference];
  for (const copy of copies) {
    const copied = copy(from, to, part);
    // Without a difference, the change is written at another place.
    if (copied !== undefined && !isSameJson(copied, to)) return withDefinitions(from, copied);
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
    if (!isSchemaKept)
      copied = withProperty(copied, each, getOwn(objectOrEmpty(getOwn(source, "properties")), each));
    copied = withRequired(copied, each, isRequired(source, each));
  }
  return editAt(to, site, () => copied);
}

function withProperty(schema: JsonObject, name: string, property: JsonValue | undefined): JsonObject {
  const others = Object.entries(objectOrEmpty(getOwn(schema, "properties"))).filter(
    ([other]) => other !== name,
  );
  const properties = Object.fromEntries(property === undefined ? others : [...others, [name, property]]);
  return { ...schema, properties };
}

function withRequired(schema: JsonObject, name: string, is: boolean): JsonObject {
  const rest = Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== "required"));
  const others = listOrEmpty(getOwn(schema, "required")).filter((other) => other !== name);
  const required = is ? [...others, name] : others;
  // Draft 4 does not allow an empty list.
  return required.length === 0 ? rest : { ...rest, required };
}

/** Adds definitions that only the other schema has: a copied part may refer to them. */
function withDefinitions(from: JsonValue, copied: JsonValue): JsonValue {
  if (!isJsonObject(from) || !isJsonObject(copied)) return copied;
  return DEFINITIONS.reduce((schema: JsonObject, keyword) => {
    const own = getOwn(schema, keyword) ?? {};
    const others = getOwn(from, keyword);
    if (!isJsonObject(own) || !isJsonObject(others)) return schema;
    const missing = Object.entries(others).filter(([name]) => !Object.hasOwn(own, name));
    if (missing.length === 0) return schema;
    const all = Object.fromEntries([...Object.entries(own), ...missing]);
    return Object.fromEntries([...Object.entries(schema).filter(([key]) => key !== keyword), [keyword, all]]);
  }, copied);
}

const DEFINITIONS = ["$defs", "definitions"] as const;

function isRequired(schema: JsonObject, name: string): boolean {
  return listOrEmpty(getOwn(schema, "required")).includes(name);
}

/** Copies one value of an enumeration or one name of `required`, or its absence. */
function copyValue(
  from: JsonValue,
  to: JsonValue,
  { rule, at, value, names }: ChangedPart,
): JsonValue | undefined {
  const [name] = names ?? [];
  if (name !== undefined && rule?.startsWith("property-became-") === true && at.endsWith("/required")) {
    const site = at.slice(0, at.lastIndexOf("/"));
    const [source, target] = [findAt(from, site), findAt(to, site)];
    if (!isJsonObject(target)) return undefined;
    return editAt(to, site, () =>
      withRequired(target, name, isJsonObject(source) && isRequired(source, name)),
    );
  }
  const [source, target] = [findAt(from, at), findAt(to, at)];
  if (value === undefined || !isJsonArray(source) || !isJsonArray(target)) return undefined;
  const isIn = (list: readonly JsonValue[]): boolean => list.some((each) => isSameJson(each, value));
  const others = target.filter((each) => !isSameJson(each, value));
  return editAt(to, at, () => (isIn(source) ? [...others, value] : others));
}

function copyBranch(
  from: JsonValue,
  to: JsonValue,
  { rule, at, branch = findAt(from, at) ?? findAt(to, at) }: ChangedPart,
): JsonValue | undefined {
  if (rule !== "union-branch-added" && rule !== "union-branch-removed") return undefined;
  const union = at.slice(0, at.lastIndexOf("/"));
  const [source, target] = [findAt(from, union), findAt(to, union)];
  if (branch === undefined || !isJsonArray(source) || !isJsonArray(target)) return undefined;
  const isIn = (list: readonly JsonValue[]): boolean => list.some((each) => isSameJson(each, branch));
  const others = target.filter((each) => !isSameJson(each, branch));
  const copied = isIn(source) ? [...others, branch] : others;
  return copied.length === 0 ? undefined : editAt(to, union, () => copied);
}

/**
 * Copies the innermost part at a place or around it that differs between the schemas: a keyword with its family, or an entry
 * of a keyword, such as a property. If only one schema has the place, copies a part around it that both have.
 */
function copyKeyword(from: JsonValue, to: JsonValue, { at }: ChangedPart): JsonValue | undefined {
  const parts = partsAround(splitPointer(at));
  for (const [index, { site, key, isKeyword }] of parts.entries()) {
    const [source, target] = isKeyword
      ? [findAt(from, site), findAt(to, site)]
      : [findEntries(from, site), findEntries(to, site)];
    const family = isKeyword ? familyOf(key) : [key];
    const exchanged = exchangeKeys(source, target, family);
    // A keyword around the change says nothing about a schema that does not have it.
    const isShared = index === 0 || site === "" || !isKeyword || hasAny(source, family);
    if (exchanged === undefined || !isShared || isSameJson(exchanged, target ?? null)) continue;
    return editAt(to, site, () => exchanged);
  }
  return undefined;
}

/** Returns the map or list of a keyword; without the keyword, the empty map that means the same. */
function findEntries(schema: JsonValue, site: string): JsonValue | undefined {
  const steps = splitPointer(site);
  const isSchema = isJsonObject(findAt(schema, joinPointer("", ...steps.slice(0, -1))));
  return findAt(schema, site) ?? (isSchema && MAPS.has(steps.at(-1) ?? "") ? {} : undefined);
}

const MAPS: ReadonlySet<string> = new Set([
  ...["patternProperties", "dependentRequired", "dependentSchemas", "dependencies"],
]);

/** Copies the schema with a reference that leads to another schema, or the reference of the root. */
function copyReference(from: JsonValue, to: JsonValue, { via }: ChangedPart): JsonValue | undefined {
  if (via === undefined) return undefined;
  const site = via.slice(0, via.lastIndexOf("/"));
  return copyKeyword(from, to, { at: site === "" ? via : site });
}

/** A keyword of the schema at `site`, or an entry of a keyword's map or list. */
interface ContainedPart {
  readonly site: string;
  readonly key: string;
  readonly isKeyword: boolean;
}

/** Returns the parts of a schema on the way to a place, the innermost first. */
function partsAround(steps: readonly string[]): readonly ContainedPart[] {
  const parts: ContainedPart[] = [];
  let isKeyword = true;
  for (const [index, key] of steps.entries()) {
    parts.unshift({ site: joinPointer("", ...steps.slice(0, index)), key, isKeyword });
    const isEntryNext = hasEntries(key) || (key === "items" && /^\d+$/.test(steps[index + 1] ?? ""));
    isKeyword = !(isKeyword && isEntryNext);
  }
  return parts;
}

/** Whether the value of a keyword is a map or list of rules, each of which can change alone. */
function hasEntries(keyword: string): boolean {
  const holder = holderOf(keyword);
  return holder === "map" || holder === "list" || keyword === "dependentRequired";
}

function exchangeKeys(
  source: JsonValue | undefined,
  target: JsonValue | undefined,
  keys: readonly string[],
): JsonValue | undefined {
  if (isJsonObject(source) && isJsonObject(target)) {
    const others = Object.entries(target).filter(([key]) => !keys.includes(key));
    const copied = Object.entries(source).filter(([key]) => keys.includes(key));
    return Object.fromEntries([...others, ...copied]);
  }
  if (!isJsonArray(source) || !isJsonArray(target)) return undefined;
  const index = Number(keys[0]);
  const item = source[index];
  return item === undefined || index >= target.length ? undefined : target.with(index, item);
}

function hasAny(schema: JsonValue | undefined, keys: readonly string[]): boolean {
  return keys.some((key) => isJsonObject(schema) && Object.hasOwn(schema, key));
}

function familyOf(keyword: string): readonly string[] {
  return FAMILIES.find((keywords) => keywords.includes(keyword)) ?? [keyword];
}

/** Keywords that change together. Every other keyword changes alone. */
const FAMILIES: readonly (readonly string[])[] = [
  ["enum", "const"],
  ["minimum", "exclusiveMinimum"],
  ["maximum", "exclusiveMaximum"],
  ["anyOf", "oneOf"],
  ["if", "then", "else"],
];
