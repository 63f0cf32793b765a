import { findAt, isSameJson } from "../../core/json-pointer.js";
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
  readonly #merged = new Map<SchemaIR, readonly string[]>();
  readonly #terms: TermCompiler;

  constructor(raw: JsonValue, parsed: ParsedSchema, table: TermTable, label: string) {
    this.raw = raw;
    this.parsed = parsed;
    this.#terms = new TermCompiler(table, parsed, label);
  }

  term(node: SchemaIR): Term {
    return this.#terms.compile(node);
  }

  /** Returns the target of a reference; any other schema is returned unchanged. */
  follow(node: SchemaIR): SchemaIR {
    let current = node;
    // The parser refuses references in a circle.
    while (current.kind === "ref")
      current = this.parsed.definitions.get(current.target) ?? { kind: "any", at: current.at };
    return current;
  }

  /** Returns the JSON Pointer of a subschema; several for a subschema that was merged from others. */
  pointersOf(node: SchemaIR): readonly string[] {
    const pointer = this.parsed.pointers.get(node);
    return this.#merged.get(node) ?? (pointer === undefined ? [] : [pointer]);
  }

  /** Sets the pointers of a schema that was merged from others. */
  place(node: SchemaIR, pointers: readonly string[]): void {
    this.#merged.set(node, pointers);
  }

  read(pointer: string): JsonValue | undefined {
    return findAt(this.raw, pointer);
  }
}

/**
 * The names of properties that a schema mentions for the value itself, in all its branches and conditions but those that
 * are left out.
 */
export function namesIn(
  schema: SchemaIR,
  side: SchemaSide,
  isLeftOut: (part: SchemaIR) => boolean,
): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set<SchemaIR>();
  const open = [schema];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const node = side.follow(next);
    if (seen.has(node)) continue;
    seen.add(node);
    if (isLeftOut(node)) continue;
    if (node.kind === "object") {
      for (const property of node.properties) names.add(property.name);
      for (const dependent of node.dependents) {
        for (const name of [dependent.name, ...dependent.required]) names.add(name);
        if (dependent.schema !== undefined) open.push(dependent.schema);
      }
      if (node.names?.kind === "literal")
        for (const name of node.names.values) if (typeof name === "string") names.add(name);
    } else if (node.kind !== "array") open.push(...childrenOf(node));
  }
  return names;
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

  constructor(before: SchemaSide, after: SchemaSide) {
    this.#isComparable = before.parsed.dialect === after.parsed.dialect;
    const isSame = (key: string): boolean => isSameJson(findOwn(before.raw, key), findOwn(after.raw, key));
    const isLocal = (ref: string): boolean => /^#\/(\$defs|definitions)\//.test(ref);
    this.#areReferencesSame =
      ["$defs", "definitions"].every(isSame) &&
      [before, after].every(({ raw }) => referencesIn(raw).every(isLocal));
  }

  areSame(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
    if (!this.#isComparable || before === undefined || !isSameJson(before, after)) return false;
    return this.#areReferencesSame || referencesIn(before).length === 0;
  }
}
