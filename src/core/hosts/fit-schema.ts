/** Input schemas as providers take them. Each rewrite has a rule about hosts as its reason. */
import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listOrEmpty,
  mapEntries,
  objectOrEmpty,
  withoutKeys,
} from "../json.js";
import { findAt, splitPointer } from "../json-pointer.js";
import { DEEPEST_USABLE } from "../limits.js";
import { NOT_AT_TOP, toModelSchema, type ModelSchema } from "../model-schema.js";
import { holderOf, mapKeyword, mapSubschemas, pointerOfRef, referredBy } from "../subschemas.js";
import { breaksMetaSchema, hasLookaround, hasMixedEnum, schemaTypes, undeclaredIn } from "./conditions.js";
import { addTypes, flattenUnions, inlineReferences, isSent, toGeminiSchema } from "./gemini-schema.js";
import { MOST_TOOLS, nodesOf } from "./host.js";
import type { HostRuleName } from "./host-rules.js";
import { dropNulls, isStrictForm, toStrictForm } from "./strict-mode.js";

/** What is rewritten for a provider, beside what is rewritten for all, and the most tools that it takes. */
const FITS = {
  openai: { rewrites: ["lookaround"], mostTools: MOST_TOOLS.openai },
  "openai-strict": { rewrites: ["lookaround"], mostTools: MOST_TOOLS.openai },
  anthropic: { rewrites: ["keys"] },
  gemini: { rewrites: [], mostTools: MOST_TOOLS.gemini },
  "gemini-parameters": {
    rewrites: ["inline", "unions", "enums", "fields"],
    mostTools: MOST_TOOLS.gemini,
  },
  "ai-sdk-google": { rewrites: ["unions", "enums", "references", "types"], mostTools: MOST_TOOLS.gemini },
  any: { rewrites: ["lookaround", "keys", "enums", "references"] },
} as const satisfies Readonly<Record<string, Fit>>;

interface Fit {
  readonly rewrites: readonly (
    | "enums"
    | "fields"
    | "inline"
    | "keys"
    | "lookaround"
    | "references"
    | "types"
    | "unions"
  )[];
  readonly mostTools?: number;
}

/**
 * A provider of models, in the form that it gets tools in: `ai-sdk-google` through the AI SDK; `any` for frameworks that pass tools
 * on to a provider that is not known.
 */
export type Provider = keyof typeof FITS;

/** Returns what a provider takes. */
export function findFit(provider: Provider): Fit {
  return FITS[provider];
}

export interface FittedSchema {
  readonly schema: ModelSchema;
  /** Returns the arguments of the tool for arguments that fit the schema. */
  readonly restore: (input: unknown) => unknown;
  /** The rules for which a part of the schema is hidden from the model. Calls are validated with the whole schema. */
  readonly losses: readonly HostRuleName[];
  /** Whether OpenAI can enforce the schema. */
  readonly isStrict: boolean;
}

/** Explains why no provider takes an input schema; undefined if they do. */
export function explainUnsendable(raw: unknown): string | undefined {
  const types = schemaTypes(objectOrEmpty(raw));
  if (types.length === 0 || types.includes("object")) return undefined;
  const named = types.map((type) => JSON.stringify(type)).join(" or ");
  return `the input has the type ${named.slice(0, 100)}, and arguments are an object`;
}

/** Returns a raw input schema as a provider takes it. Throws an `Error` with the reason if none does. */
export function fitSchema(schema: unknown, provider: Provider): FittedSchema {
  const problem = explainUnsendable(schema);
  if (problem !== undefined) throw new Error(problem);
  const raw = objectOrEmpty(schema);
  const losses = new Set<HostRuleName>();
  if (NOT_AT_TOP.some((key) => Object.hasOwn(raw, key))) losses.add("openai-root-combinator");
  const { rewrites } = findFit(provider);
  let root = objectOrEmpty(toModelSchema(hoistReferences(raw)));
  if (rewrites.includes("inline")) root = inlineReferences(root, losses);
  if (rewrites.includes("unions")) root = flattenUnions(root, losses);
  const rewritten = rewrite(root, { rewrites, losses, root }, 0);
  const shown = rewrites.includes("fields") ? toGeminiSchema(rewritten, losses) : rewritten;
  const isStrict = provider === "openai-strict" && isStrictForm(shown);
  const names = rewrites.includes("keys") ? aliasesOf(shown) : new Map<string, string>();
  const sent = isStrict ? toStrictForm(shown) : names.size > 0 ? renameKeys(shown, names) : shown;
  return {
    schema: { ...sent, type: "object" },
    restore: (input) => (isStrict ? dropNulls(input, shown, shown) : restoreKeys(input, names)),
    losses: [...losses],
    isStrict,
  };
}

interface Rewriting {
  readonly rewrites: Fit["rewrites"];
  readonly losses: Set<HostRuleName>;
  readonly root: JsonObject;
}

const isRefused = breaksMetaSchema(true);

function rewrite(object: JsonObject, to: Rewriting, depth: number): JsonObject {
  if (depth > DEEPEST_USABLE) return object;
  const hasTypes = to.rewrites.includes("types");
  let schema = toNewDraft(
    mapSubschemas(object, (inner, key) => {
      const rewritten = rewrite(inner, to, depth + 1);
      return hasTypes && isSent(key) ? addTypes(rewritten, to.losses) : rewritten;
    }),
  );
  for (let key = isRefused(schema); key !== undefined; key = isRefused(schema)) {
    schema = withoutKeys(schema, key);
    to.losses.add("openai-invalid-schema");
  }
  // The AI SDK throws for a reference that leads nowhere.
  const isLost = Object.hasOwn(schema, "$ref") && referredBy(schema, to.root) === undefined;
  if (isLost && to.rewrites.includes("references")) {
    schema = withoutKeys(schema, "$ref");
    to.losses.add("ai-sdk-google-ref");
  }
  if (to.rewrites.includes("lookaround") && hasLookaround(schema) !== undefined) {
    schema = withoutKeys(schema, "pattern");
    to.losses.add("openai-lookaround");
  }
  if (to.rewrites.includes("enums") && hasMixedEnum(schema) !== undefined) schema = splitEnum(schema);
  return declareRequired(schema);
}

/** Writes tuples and exclusive bounds of older drafts as in 2020-12, and an empty list of PHP as the schema that it means. */
function toNewDraft(schema: JsonObject): JsonObject {
  let written = mapEntries(schema, (value, key) =>
    holderOf(key) === "one" && isJsonArray(value) && value.length === 0 ? {} : value,
  );
  const items = getOwn(written, "items");
  if (isJsonArray(items)) {
    const more = getOwn(written, "additionalItems");
    const rest = withoutKeys(written, "items", "additionalItems");
    written = { ...rest, prefixItems: items, ...(more !== undefined && { items: more }) };
  }
  for (const [exclusive, bound] of BOUNDS) {
    const isExclusive = getOwn(written, exclusive);
    if (typeof isExclusive !== "boolean") continue;
    const value = getOwn(written, bound);
    const isMoved = isExclusive && typeof value === "number";
    written = isMoved
      ? { ...withoutKeys(written, bound), [exclusive]: value }
      : withoutKeys(written, exclusive);
  }
  return written;
}

const BOUNDS = [
  ["exclusiveMinimum", "minimum"],
  ["exclusiveMaximum", "maximum"],
] as const;

function declareRequired(schema: JsonObject): JsonObject {
  const names = undeclaredIn(schema);
  if (names.length === 0) return schema;
  const more = getOwn(schema, "additionalProperties");
  const declared = names.map((name) => [name, isJsonObject(more) ? more : {}] as const);
  const properties = { ...objectOrEmpty(getOwn(schema, "properties")), ...Object.fromEntries(declared) };
  return { ...schema, properties };
}

/** An `enum` for each type of its values. Values that the type of the schema excludes are left out. */
function splitEnum(schema: JsonObject): JsonObject {
  const types = schemaTypes(schema);
  const values = listOrEmpty(getOwn(schema, "enum"));
  const byType = ["string", "number", "boolean", "object"].map(
    (type) => [type, values.filter((value) => value !== null && typeof value === type)] as const,
  );
  const allows = (type: string): boolean =>
    types.length === 0 || types.includes(type) || (type === "number" && types.includes("integer"));
  const kept = byType.filter(([type, members]) => members.length > 0 && allows(type));
  const allowsNull = values.includes(null) && allows("null");
  const branches: readonly JsonObject[] = [
    ...kept.map(([type, members]) => ({ ...(type !== "object" && { type }), enum: members })),
    ...(allowsNull ? [{ type: "null" }] : []),
  ];
  const rest = withoutKeys(schema, "enum", "type");
  const [only] = branches;
  if (only !== undefined && branches.length === 1) return { ...rest, ...only };
  return branches.length === 0 || Object.hasOwn(rest, "anyOf")
    ? withoutKeys(schema, "enum")
    : { ...rest, anyOf: branches };
}

/** Moves targets outside of definitions into `$defs`: merging branches would lose them, and the AI SDK throws for them. */
function hoistReferences(root: JsonObject): JsonObject {
  const targets = new Map<string, string>();
  const names = new Set(
    ["$defs", "definitions"].flatMap((key) => Object.keys(objectOrEmpty(getOwn(root, key)))),
  );
  for (const { schema } of nodesOf(root, "")) {
    const pointer = pointerOfRef(schema);
    if (pointer === undefined || targets.has(pointer) || /^\/(?:\$defs|definitions)\/[^/]+$/.test(pointer))
      continue;
    if (!isJsonObject(findAt(root, pointer))) continue;
    const base = (splitPointer(pointer).at(-1) ?? "root").replace(/[^\w.-]/g, "_");
    let name = base;
    for (let count = 2; names.has(name); count += 1) name = `${base}_${count}`;
    names.add(name);
    targets.set(pointer, name);
  }
  if (targets.size === 0) return root;
  const moved: [string, JsonValue][] = [];
  const referTo = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
  const visit = (value: JsonValue, pointer: string): JsonValue => {
    if (!isJsonObject(value)) return value;
    const target = targets.get(pointerOfRef(value) ?? "-");
    const entries = Object.entries(value).map(([key, inner]): [string, JsonValue] =>
      key === "$ref" && target !== undefined
        ? ["$ref", `#/$defs/${target}`]
        : [key, mapKeyword(key, inner, pointer, visit)],
    );
    const name = targets.get(pointer);
    const written = Object.fromEntries(entries);
    if (name === undefined) return written;
    moved.push([name, withoutKeys(written, "$defs", "definitions")]);
    return pointer === "" ? written : referTo(name);
  };
  const written = objectOrEmpty(visit(root, ""));
  const movedNames = new Set(moved.map(([name]) => name));
  for (const [pointer, name] of targets) {
    // No keyword holds the target as a schema, but it is one.
    if (!movedNames.has(name)) moved.push([name, visit(findAt(root, pointer) ?? {}, "-")]);
  }
  return { ...written, $defs: { ...objectOrEmpty(getOwn(written, "$defs")), ...Object.fromEntries(moved) } };
}

const KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Other names for properties at the root that Anthropic refuses. */
function aliasesOf(schema: JsonObject): ReadonlyMap<string, string> {
  const keys = Object.keys(objectOrEmpty(getOwn(schema, "properties")));
  const names = new Set(keys);
  const aliases = new Map<string, string>();
  for (const key of keys.filter((name) => !KEY.test(name))) {
    const base =
      key
        .replace(/[^\w.-]+/g, "_")
        .replace(/^[_.-]+(?=.)|(?<!_)_+$/g, "")
        .slice(0, 60) || "key";
    let alias = base;
    for (let count = 2; names.has(alias); count += 1) alias = `${base}_${count}`;
    names.add(alias);
    aliases.set(key, alias);
  }
  return aliases;
}

/** Keywords that hold names of properties, and those whose schemas judge the same object. */
const NAMED = ["properties", "dependentRequired", "dependentSchemas", "dependencies"];
const IN_PLACE = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"];

function renameKeys(schema: JsonObject, aliases: ReadonlyMap<string, string>): JsonObject {
  const rename = (name: JsonValue): JsonValue =>
    typeof name === "string" ? (aliases.get(name) ?? name) : name;
  const inside = mapEntries(schema, (value, key) =>
    IN_PLACE.includes(key)
      ? mapKeyword(key, value, "", (inner) => (isJsonObject(inner) ? renameKeys(inner, aliases) : inner))
      : value,
  );
  // A rule about names would judge the aliases.
  return mapEntries(withoutKeys(inside, "propertyNames"), (value, key) => {
    if (key === "required" && isJsonArray(value)) return value.map(rename);
    if (!NAMED.includes(key) || !isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        aliases.get(name) ?? name,
        isJsonArray(inner) ? inner.map(rename) : inner,
      ]),
    );
  });
}

function restoreKeys(input: unknown, aliases: ReadonlyMap<string, string>): unknown {
  if (aliases.size === 0 || !isJsonObject(input)) return input;
  const names = new Map([...aliases].map(([name, alias]) => [alias, name]));
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [names.get(key) ?? key, value]));
}
