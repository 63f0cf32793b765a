import {
  findOwn,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listOrEmpty,
  objectOrEmpty,
  withoutKeys,
} from "../../core/json.js";
import { decodeFragment, findAt, isSameJson, joinPointer, splitPointer } from "../../core/json-pointer.js";
import { findKeyword } from "../../core/keywords.js";
import { followReferences, mapKeyword, referencesIn } from "../../core/subschemas.js";
import type { WitnessedChange } from "../unconfirmed-change.js";
import { editAt } from "./instance-places.js";

/** A change between two schemas. */
export interface ChangedPart extends WitnessedChange {
  /** Whether `to` is the accepting schema, which has the branch of a union that was added or removed. */
  readonly isMade?: boolean | undefined;
}

/**
 * Returns a copy of the schema `to` that has the part of the schema `from` at the place of a change. If `from` is the schema
 * before the change, this undoes the change; if it is the schema after, this makes only that change. Returns undefined if
 * the schemas have too little in common to exchange less than the whole.
 *
 * `pointers` lead to the change without references: a definition may be new, renamed or inlined, or have other uses. The
 * references on the way are replaced by what they refer to, in both schemas.
 */
export function copyPart(
  from: JsonValue,
  to: JsonValue,
  part: ChangedPart,
  pointers: readonly string[] = [],
): JsonValue | undefined {
  // A definition without a route keeps its name.
  const [source, ways] = pointers.length === 0 ? [from, [part.at]] : [withOwnNames(from, to), pointers];
  const copied = ways.reduce((schema, at) => copyAt(source, schema, { ...part, at }), to);
  return copied === to ? undefined : withDefinitions(source, copied);
}

function copyAt(from: JsonValue, to: JsonValue, part: ChangedPart): JsonValue {
  const source = inlineAlong(from, part.at);
  const target = inlineAlong(to, part.at);
  for (const copy of [copyProperties, copyValue, copyBranch, copyKeyword]) {
    const copied = copy(source, target, part);
    // Without a difference, the change is written at another place.
    if (copied !== undefined && !isSameJson(copied, target)) return copied;
  }
  return to;
}

/** Replaces the references that a pointer would have to follow by the schemas that they refer to. */
function inlineAlong(document: JsonValue, pointer: string): JsonValue {
  const steps = splitPointer(pointer);
  let inlined = document;
  for (const [index, step] of steps.entries()) {
    const at = joinPointer("", ...steps.slice(0, index));
    const schema = findAt(inlined, at);
    if (!isJsonObject(schema) || Object.hasOwn(schema, step)) continue;
    const target = followReferences(schema, document);
    if (target !== undefined && target !== schema)
      inlined = editAt(inlined, at, () => joinReferred(schema, target));
  }
  return inlined;
}

/** Joins a schema with the schema that its `$ref` refers to. */
function joinReferred(schema: JsonObject, target: JsonValue): JsonValue {
  if (!isJsonObject(target)) return target;
  const beside = withoutKeys(schema, "$ref");
  const shared = Object.entries(beside).filter(([keyword]) => Object.hasOwn(target, keyword));
  if (shared.length === 0) return { ...beside, ...target };
  const allOf = [...listOrEmpty(getOwn(target, "allOf")), Object.fromEntries(shared)];
  return { ...beside, ...target, allOf };
}

/**
 * Gives the definitions of a document other names if definitions of another document have their names and another meaning, so
 * that a reference that is copied to that document keeps its meaning.
 */
function withOwnNames(document: JsonValue, other: JsonValue): JsonValue {
  const shared = DEFINITIONS.flatMap((keyword) => {
    const others = objectOrEmpty(findOwn(other, keyword));
    return Object.entries(objectOrEmpty(findOwn(document, keyword)))
      .filter(([name]) => Object.hasOwn(others, name))
      .map(([name, schema]) => ({
        at: joinPointer("", keyword, name),
        references: referencesIn(schema).map(targetOf),
        isOther: !isSameJson(schema, getOwn(others, name)),
      }));
  });
  const renamed = new Set<string>();
  for (let size = -1; size < renamed.size;) {
    size = renamed.size;
    for (const { at, references, isOther } of shared)
      if (isOther || references.some((target) => renamed.has(target))) renamed.add(at);
  }
  return renamed.size === 0 ? document : renameDefinitions(document, "", renamed);
}

/** The JSON Pointer of the definition that a reference leads to or into. */
function targetOf(reference: string): string {
  return decodeFragment(reference.replace(/^#/, "")).split("/").slice(0, 3).join("/");
}

const OWN = " before or after the change";

function renameDefinitions(schema: JsonValue, pointer: string, renamed: ReadonlySet<string>): JsonValue {
  if (!isJsonObject(schema)) return schema;
  const entries = Object.entries(schema).map(([keyword, value]): [string, JsonValue] => {
    if (keyword === "$ref" && typeof value === "string" && renamed.has(targetOf(value))) {
      const [, store = "", name = "", ...rest] = decodeFragment(value.slice(1)).split("/");
      return [keyword, `#${["", store, name + OWN, ...rest].join("/").replaceAll("%", "%25")}`];
    }
    const mapped = mapKeyword(keyword, value, pointer, (below, at) => renameDefinitions(below, at, renamed));
    if (pointer !== "" || !DEFINITIONS.some((each) => each === keyword) || !isJsonObject(mapped))
      return [keyword, mapped];
    const named = Object.entries(mapped).map(([name, definition]): [string, JsonValue] => [
      renamed.has(joinPointer("", keyword, name)) ? name + OWN : name,
      definition,
    ]);
    return [keyword, Object.fromEntries(named)];
  });
  return Object.fromEntries(entries);
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
  const source = findAt(from, site);
  const target = findAt(to, site);
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

function withRequired(schema: JsonObject, name: string, isListed: boolean): JsonObject {
  const rest = withoutKeys(schema, "required");
  const others = listOrEmpty(getOwn(schema, "required")).filter((other) => other !== name);
  const required = isListed ? [...others, name] : others;
  // Draft 4 does not allow an empty list.
  return required.length === 0 ? rest : { ...rest, required };
}

/** Adds definitions that only the other schema has: a copied part may refer to them. */
function withDefinitions(from: JsonValue, copied: JsonValue): JsonValue {
  if (!isJsonObject(from) || !isJsonObject(copied)) return copied;
  return DEFINITIONS.reduce((schema: JsonObject, keyword) => {
    const members = getOwn(schema, keyword) ?? {};
    const others = getOwn(from, keyword);
    if (!isJsonObject(members) || !isJsonObject(others)) return schema;
    const missing = Object.entries(others).filter(([name]) => !Object.hasOwn(members, name));
    if (missing.length === 0) return schema;
    const all = Object.fromEntries([...Object.entries(members), ...missing]);
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
    const source = findAt(from, site);
    const target = findAt(to, site);
    if (!isJsonObject(target)) return undefined;
    return editAt(to, site, () =>
      withRequired(target, name, isJsonObject(source) && isRequired(source, name)),
    );
  }
  const copied = exchangeItem(findAt(from, at), findAt(to, at), value);
  return copied && editAt(to, at, () => copied);
}

/** Returns the target with an item if the source has it, else without it. */
function exchangeItem(
  source: JsonValue | undefined,
  target: JsonValue | undefined,
  item: JsonValue | undefined,
): readonly JsonValue[] | undefined {
  if (item === undefined || !isJsonArray(source) || !isJsonArray(target)) return undefined;
  const others = target.filter((each) => !isSameJson(each, item));
  return source.some((each) => isSameJson(each, item)) ? [...others, item] : others;
}

function copyBranch(
  from: JsonValue,
  to: JsonValue,
  { rule, at, isMade }: ChangedPart,
): JsonValue | undefined {
  if (rule !== "union-branch-added" && rule !== "union-branch-removed") return undefined;
  const branch = findAt(isMade === true ? to : from, at);
  const union = at.slice(0, at.lastIndexOf("/"));
  const copied = exchangeItem(findAt(from, union), findAt(to, union), branch);
  return copied === undefined || copied.length === 0 ? undefined : editAt(to, union, () => copied);
}

/**
 * Copies the innermost part at a place or around it that differs between the schemas: a keyword with its family, or an entry
 * of a keyword, such as a property. If only one schema has the place, copies a part around it that both have.
 */
function copyKeyword(from: JsonValue, to: JsonValue, { at }: ChangedPart): JsonValue | undefined {
  const parts = partsAround(splitPointer(at));
  for (const [index, { site, key, isKeyword }] of parts.entries()) {
    const [source, target] = isKeyword
      ? [findSchema(from, site), findSchema(to, site)]
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

/** Returns the schema at a pointer. A condition without a part accepts everything there. */
function findSchema(schema: JsonValue, site: string): JsonValue | undefined {
  const condition = site.slice(0, site.lastIndexOf("/"));
  const part = site.slice(site.lastIndexOf("/") + 1);
  const pointer = findAt(schema, site);
  const isAbsent = pointer === undefined && (part === "then" || part === "else");
  return isAbsent && findOwn(findAt(schema, condition), "if") !== undefined ? {} : pointer;
}

/** Returns the map or list of a keyword; without the keyword, the empty map that means the same. */
function findEntries(schema: JsonValue, site: string): JsonValue | undefined {
  const steps = splitPointer(site);
  const isSchema = isJsonObject(findSchema(schema, joinPointer("", ...steps.slice(0, -1))));
  return findAt(schema, site) ?? (isSchema && isMap(steps.at(-1) ?? "") ? {} : undefined);
}

function isMap(keyword: string): boolean {
  const { holds, form } = findKeyword(keyword) ?? {};
  return holds === "map" || form === "map";
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
  const { holds, form } = findKeyword(keyword) ?? {};
  return holds === "map" || holds === "list" || form === "map";
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
