import type { RegisteredTool } from "../../../../core/tool.js";
import { McpCodegenError } from "../../../../core/errors.js";
import { type JsonValue, canonicalJson, tryParseJson } from "../../../../core/json.js";
import { isSubschema } from "../../../../core/subschemas.js";
import {
  allOfParts,
  closeParts,
  conditionParts,
  declaredNames,
  itemParts,
  propertyParts,
  readPart,
  referredParts,
  requiredBy,
  type SchemaPart,
  unionParts,
  type SchemaRules,
} from "../../../../schema/sample/schema-part.js";
import { findInexactNumbers } from "../../../../core/exact-json.js";
import type { JsonType } from "../../../../core/schema-ir.js";
import { typeOfValue } from "../../../../schema/ir/node-types.js";

type ArgumentParts = readonly SchemaPart[];

/**
 * The schemas of a tool's arguments, or of a value in them, for reading flags. Combines all alternatives of a union, since
 * only validation can choose one, after all flags are read.
 */
export class ArgumentSchema {
  /** The names of the properties that the schemas declare, in their order. */
  readonly names: ReadonlySet<string>;
  /** The names that the schemas require, branches of unions aside. */
  readonly required: ReadonlySet<string>;
  /** The types and values of which each is accepted by at least one of the schemas. */
  readonly accepted: Accepted;
  readonly #parts: ArgumentParts;
  /** The schemas that always apply. */
  readonly #certain: ArgumentParts;

  constructor(parts: ArgumentParts) {
    this.#certain = closeParts(parts, listCertain);
    this.#parts = closeParts(parts, (part) => [
      ...listCertain(part),
      ...unionParts(part).flat(),
      ...conditionParts(part, "if", "then", "else"),
    ]);
    this.names = new Set(declaredNames(this.#parts));
    this.required = new Set(requiredBy(this.#certain));
    this.accepted = collectAccepted(this.#parts.map(({ rules }) => rules));
  }

  /** Returns the schema of a property; undefined for one that is not declared, if the schema allows no other properties. */
  property(name: string): ArgumentSchema | undefined {
    const parts = propertyParts(this.#parts, name);
    const usable = parts.filter(({ node }) => node.kind !== "never");
    if (usable.length > 0) return new ArgumentSchema(usable);
    // A name that is not declared beside others is probably mistyped.
    return parts.length === 0 && this.names.size === 0 ? new ArgumentSchema([readPart(true)]) : undefined;
  }

  /** Returns the schema of an item of a list. */
  item(index: number): ArgumentSchema {
    return new ArgumentSchema(itemParts(this.#parts, index));
  }

  /** Returns an annotation of the schemas that always apply. */
  annotation(keyword: "default" | "description"): JsonValue | undefined {
    const values = this.#certain.map(({ rules }) => rules.annotations?.[keyword]);
    return values.find((value) => value !== undefined);
  }
}

function listCertain(part: SchemaPart): ArgumentParts {
  return [...referredParts(part), ...allOfParts(part)];
}

/** Returns the input schema of a tool, for its flags. Throws `SCHEMA_INVALID` if the tool has none. */
export function readArgumentSchema({ name, inputSchema, dialect }: RegisteredTool): ArgumentSchema {
  const schema: unknown = inputSchema();
  if (isSubschema(schema)) return new ArgumentSchema([readPart(schema, dialect)]);
  throw new McpCodegenError("SCHEMA_INVALID", `Tool ${JSON.stringify(name)} has no input schema.`);
}

/** The values that schemas accept, in enough detail to decide how to read a text. */
export interface Accepted {
  readonly types: ReadonlySet<JsonType>;
  /** The values of `enum` and `const`, by their canonical JSON; accepted in addition to `types`. */
  readonly literals: ReadonlyMap<string, JsonValue>;
  /** Whether all accepted numbers are integers. */
  readonly isWhole: boolean;
}

const TYPES: readonly JsonType[] = ["null", "boolean", "number", "string", "array", "object"];

/** Returns what at least one of the schemas accepts: of a schema with enumerated values, only these. */
function collectAccepted(schemas: readonly SchemaRules[]): Accepted {
  const names = new Set<string>();
  const literals = new Map<string, JsonValue>();
  for (const { types = [], lists } of schemas) {
    // A `const` is after an `enum`.
    const listed = lists.at(-1);
    if (listed !== undefined) for (const value of listed) literals.set(canonicalJson(value), value);
    else for (const name of types) names.add(name);
  }
  const types = TYPES.filter((type) => names.has(type) || (type === "number" && names.has("integer")));
  const isAny = types.length === 0 && literals.size === 0;
  return { types: new Set(isAny ? TYPES : types), literals, isWhole: !isAny && !names.has("number") };
}

export function isAccepted(value: JsonValue, { types, literals }: Accepted): boolean {
  return types.has(typeOfValue(value)) || (literals.size > 0 && literals.has(canonicalJson(value)));
}

/** Whether all accepted values have one type. */
export function takesOnly(type: JsonType, { types, literals }: Accepted): boolean {
  return [...types, ...[...literals.values()].map(typeOfValue)].every((accepted) => accepted === type);
}

/**
 * Reads a text from the command line: as JSON if the schema accepts what it says, and otherwise as a string, whose rules are
 * checked later. If only strings are accepted, a text keeps its quotes.
 */
export function readText(text: string, accepted: Accepted): JsonValue {
  const value = takesOnly("string", accepted) ? undefined : parseWord(text);
  if (value === undefined || !isAccepted(value, accepted)) return text;
  // A number alone keeps its digits as a string. A list or an object would become one text.
  const keepsDigits = typeof value === "number" && accepted.types.has("string");
  return keepsDigits && findInexactNumbers(text).length > 0 ? text : value;
}

/** A text with white space around a number or a keyword is kept as a string. */
function parseWord(text: string): JsonValue | undefined {
  return /^(?:[-\d"tfn].*[^\s]$|\d$|\s*[[{])/s.test(text) ? tryParseJson(text) : undefined;
}
