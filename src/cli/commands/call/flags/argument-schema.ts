import type { RegisteredTool } from "../../../../agent/registry/registered-tool.js";
import { McpCodegenError } from "../../../../core/errors.js";
import { findOwn, getOwn, type JsonValue } from "../../../../core/json.js";
import { isSubschema } from "../../../../core/subschemas.js";
import {
  closeParts,
  type DocumentPart,
  findReferred,
  itemParts,
  keywordsOf,
  namesUnder,
  partsUnder,
  partUnder,
  propertyParts,
  requiredBy,
  rootPart,
} from "../../../../schema/sample/schema-part.js";
import { type Accepted, collectAccepted } from "./accepted-values.js";

type Parts = readonly DocumentPart[];

const UNIONS = ["anyOf", "oneOf"] as const;

/**
 * The schemas of a tool's arguments, or of a value in them, for reading flags. Combines all alternatives of a union, since
 * only validation can choose one, after all flags are read.
 */
export class ArgumentSchema {
  /** The names of the properties that the schemas declare, in their order. */
  readonly names: ReadonlySet<string>;
  /** The types and values of which each is accepted by at least one of the schemas. */
  readonly accepted: Accepted;
  readonly #parts: Parts;
  /** The schemas that always apply. */
  readonly #certain: Parts;

  constructor(parts: Parts) {
    this.#certain = closeParts(parts, listCertain);
    this.#parts = closeParts(parts, (part) => [
      ...listCertain(part),
      ...UNIONS.flatMap((keyword) => partsUnder(part, keyword)),
      ...["if", "then", "else"].flatMap((keyword) => partUnder(part, keyword)),
    ]);
    this.names = new Set(namesUnder(this.#parts, "properties"));
    this.accepted = collectAccepted(this.#parts.map(keywordsOf));
  }

  /** Returns the schema of a property; undefined for one that is not declared, if the schema allows no other properties. */
  property(name: string): ArgumentSchema | undefined {
    const parts = propertyParts(this.#parts, name);
    const usable = parts.filter(({ schema }) => schema !== false);
    if (usable.length > 0) return new ArgumentSchema(usable);
    // A name that is not declared beside others is probably mistyped.
    return parts.length === 0 && this.names.size === 0 ? new ArgumentSchema([rootPart(true)]) : undefined;
  }

  /** Returns the schema of an item of a list; undefined if there can be no such item. */
  item(index: number): ArgumentSchema | undefined {
    const parts = itemParts(this.#parts, index);
    const usable = parts.filter(({ schema }) => schema !== false);
    return parts.length > 0 && usable.length === 0 ? undefined : new ArgumentSchema(usable);
  }

  /** Returns the names that every valid object has. */
  required(): ReadonlySet<string> {
    const known = new Map<JsonValue, ReadonlySet<string>>();
    return unite(this.#certain.map((part) => findRequired(part, known)));
  }

  /** Returns an annotation of the schemas that always apply. */
  annotation(keyword: "default" | "description" | "examples" | "format"): JsonValue | undefined {
    const parts = this.#certain.map((part) => getOwn(keywordsOf(part), keyword));
    return parts.find((value) => value !== undefined);
  }
}

function listCertain(part: DocumentPart): Parts {
  return [...findReferred(part), ...partsUnder(part, "allOf")];
}

/** @param known the results by schema: a schema adds nothing to itself */
function findRequired(part: DocumentPart, known: Map<JsonValue, ReadonlySet<string>>): ReadonlySet<string> {
  const found = known.get(part.schema);
  if (found !== undefined) return found;
  known.set(part.schema, new Set());
  const marked = namesUnder([part], "properties").filter(
    // So raw abilities of WordPress mark it.
    (name) => findOwn(findOwn(getOwn(keywordsOf(part), "properties"), name), "required") === true,
  );
  const unions = UNIONS.map((keyword) =>
    partsUnder(part, keyword).map((branch) => findRequired(branch, known)),
  );
  const all = unite([
    new Set([...requiredBy([part]), ...marked]),
    ...listCertain(part).map((inner) => findRequired(inner, known)),
    ...unions.map(
      ([first, ...others]) =>
        new Set([...(first ?? [])].filter((name) => others.every((branch) => branch.has(name)))),
    ),
  ]);
  known.set(part.schema, all);
  return all;
}

function unite(sets: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  return new Set(sets.flatMap((set) => [...set]));
}

/** Returns the input schema of a tool, for its flags. Throws `SCHEMA_INVALID` if the tool has none. */
export function readArgumentSchema({ name, inputSchema }: RegisteredTool): ArgumentSchema {
  const schema: unknown = inputSchema();
  if (isSubschema(schema)) return new ArgumentSchema([rootPart(schema)]);
  throw new McpCodegenError("SCHEMA_INVALID", `Tool ${JSON.stringify(name)} has no input schema.`);
}
