import { findAt, isSameJson, joinPointer } from "../../core/json-pointer.js";
import { findOwn, isJsonArray, type JsonValue } from "../../core/json.js";
import { referencesIn } from "../../core/subschemas.js";
import type { ParsedSchema, SchemaIR } from "../../core/schema-ir.js";
import { childrenOf } from "../../schema/ir/subschemas.js";
import { TermCompiler } from "../inclusion/compile-term.js";
import type { Term, TermTable } from "../inclusion/term.js";

/** One of the two schemas of a comparison: the raw schema, the parsed schema and its terms. */
export class SchemaSide {
  readonly raw: JsonValue;
  readonly parsed: ParsedSchema;
  /** The JSON Pointers of each subschema. */
  readonly #pointers = new Map<SchemaIR, readonly string[]>();
  /** The pointer of each reference's target, by the pointer of the schema with the reference. */
  readonly #targets = new Map<string, string>();
  readonly #terms: TermCompiler;
  readonly #indexed = new Set<SchemaIR>();

  constructor(raw: JsonValue, parsed: ParsedSchema, table: TermTable, label: string) {
    this.raw = raw;
    this.parsed = parsed;
    this.#terms = new TermCompiler(table, parsed, label);
    this.#pointers.set(parsed.ir, [""]);
  }

  term(node: SchemaIR): Term {
    return this.#terms.compile(node);
  }

  /** Returns the target of a reference; any other schema is returned unchanged. */
  follow(node: SchemaIR): SchemaIR {
    const seen = new Set<SchemaIR>();
    let current = node;
    while (current.kind === "ref" && !seen.has(current)) {
      seen.add(current);
      this.index(current);
      const target = this.parsed.definitions.get(current.target);
      if (target !== undefined && !this.#pointers.has(target))
        this.#pointers.set(target, [pointerOfTarget(current.target)]);
      current = target ?? { kind: "any", at: current.at };
    }
    return current;
  }

  /** Returns the JSON Pointer of a subschema; several for a subschema that was merged from others. */
  pointersOf(node: SchemaIR): readonly string[] {
    return this.#pointers.get(node) ?? [];
  }

  /** Sets the pointers of a schema that was merged from others. */
  place(node: SchemaIR, pointers: readonly string[]): void {
    this.#pointers.set(node, pointers);
  }

  /** Returns the pointer of the target of the reference in the schema at a pointer; undefined if it has no reference. */
  targetOf(pointer: string): string | undefined {
    return this.#targets.get(pointer);
  }

  read(pointer: string): JsonValue | undefined {
    return findAt(this.raw, pointer);
  }

  /** Records the pointers of the subschemas for a value itself and for its direct parts. */
  index(root: SchemaIR): void {
    const open: SchemaIR[] = [root];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (this.#indexed.has(node)) continue;
      this.#indexed.add(node);
      if (node.kind === "ref") this.#targets.set(parentOf(node.at), pointerOfTarget(node.target));
      for (const [child, pointer] of this.#childrenOf(node)) {
        if (!this.#pointers.has(child)) this.#pointers.set(child, [pointer]);
      }
      // Subschemas of properties and items are indexed when the walk reaches them.
      if (node.kind !== "object" && node.kind !== "array") open.push(...childrenOf(node));
    }
  }

  #childrenOf(node: SchemaIR): readonly (readonly [SchemaIR, string])[] {
    const at = (key: string, ...steps: readonly (string | number)[]): string =>
      joinPointer(node.at, key, ...steps);
    const one = (schema: SchemaIR | undefined, pointer: string): readonly (readonly [SchemaIR, string])[] =>
      schema === undefined ? [] : [[schema, pointer]];
    switch (node.kind) {
      case "object":
        return [
          ...node.properties.flatMap(({ name, isDeclared, schema }) =>
            isDeclared ? one(schema, at("properties", name)) : [],
          ),
          ...node.patterns.flatMap(({ pattern, schema }) => one(schema, at("patternProperties", pattern))),
          ...one(node.additional, at("additionalProperties")),
          ...one(node.names, at("propertyNames")),
          ...node.dependents.flatMap(({ name, schema }) =>
            [at("dependentSchemas", name), at("dependencies", name)]
              .filter((pointer) => this.read(pointer) !== undefined)
              .flatMap((pointer) => one(schema, pointer)),
          ),
        ];
      case "array": {
        const isOld = Array.isArray(this.read(at("items")));
        return [
          ...node.prefix.flatMap((schema, index) => one(schema, at(isOld ? "items" : "prefixItems", index))),
          ...one(node.items, at(isOld ? "additionalItems" : "items")),
          ...one(node.contains?.schema, at("contains")),
        ];
      }
      case "anyOf":
      case "oneOf":
        return node.members.map((member, index) => [member, joinPointer(node.at, index)] as const);
      case "not":
        return [[node.schema, node.at]];
      case "if": {
        const site = parentOf(node.at);
        return [
          [node.if, node.at],
          ...one(node.then, joinPointer(site, "then")),
          ...one(node.else, joinPointer(site, "else")),
        ];
      }
      case "unevaluated":
        return [
          ...one(node.properties, at("unevaluatedProperties")),
          ...one(node.items, at("unevaluatedItems")),
        ];
      case "any":
      case "never":
      case "null":
      case "boolean":
      case "number":
      case "string":
      case "literal":
      case "types":
      case "allOf":
      case "ref":
      case "interpreted":
        return [];
      default:
        return node satisfies never;
    }
  }
}

/** The name of a definition may have a prefix with the number of its dynamic scope. */
function pointerOfTarget(target: string): string {
  return target.replace(/^\d+:/, "");
}

/** A JSON Pointer without its last step. */
export function parentOf(pointer: string): string {
  return pointer.slice(0, Math.max(pointer.lastIndexOf("/"), 0));
}

/** The JSON Pointer of a schema; of its first part if it was merged from others. */
export function pointerOf(side: SchemaSide, node: SchemaIR): string {
  return side.pointersOf(node)[0] ?? node.at;
}

/** Whether the value of a keyword is a list with a name. */
export function isListed(name: string, value: JsonValue | undefined): boolean {
  return isJsonArray(value) && value.includes(name);
}

/**
 * Recognizes parts of two schemas with the same text and the same meaning, so that a small change in a large schema is
 * compared fast. A part with references has the same meaning only if the targets have the same text as well.
 */
export class SameParts {
  readonly #isComparable: boolean;
  readonly #areReferencesSame: boolean;

  constructor(old: SchemaSide, now: SchemaSide) {
    this.#isComparable = old.parsed.dialect === now.parsed.dialect;
    this.#areReferencesSame =
      ["$defs", "definitions"].every((key) => isSameJson(findOwn(old.raw, key), findOwn(now.raw, key))) &&
      [old, now].every(({ raw }) => referencesIn(raw).every((ref) => /^#\/(\$defs|definitions)\//.test(ref)));
  }

  areSame(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
    if (!this.#isComparable || before === undefined || !isSameJson(before, after)) return false;
    return this.#areReferencesSame || referencesIn(before).length === 0;
  }
}
