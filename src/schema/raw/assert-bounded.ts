import { McpCodegenError } from "../../core/errors.js";
import type { JsonValue } from "../../core/json.js";
import type { Definitions, SchemaIR } from "../../core/schema-ir.js";
import { childrenOf } from "../print/name-definitions.js";

/** Far deeper than any real schema (14 levels), and far from the limit of the call stack. */
const MAX_DEPTH = 256;
/** Values without keys. The largest real schema has a few thousand. Comparing or printing this many takes seconds. */
const MAX_VALUES = 50_000;

/**
 * Throws for a schema that is too deep or too large for recursive functions.
 *
 * @throws McpCodegenError `SCHEMA_INVALID`
 */
export function assertBounded(schema: JsonValue): void {
  const problem = findExcess(schema);
  if (problem !== undefined) throw new McpCodegenError("SCHEMA_INVALID", problem);
}

/** Whether a schema is shallow and small enough for recursive functions. */
export function isBounded(schema: JsonValue): boolean {
  return findExcess(schema) === undefined;
}

function findExcess(schema: JsonValue): string | undefined {
  let level: readonly JsonValue[] = [schema];
  let count = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    count += level.length;
    if (depth > MAX_DEPTH) return `The schema is nested more than ${MAX_DEPTH} levels deep.`;
    if (count > MAX_VALUES) return `The schema has more than ${MAX_VALUES} values.`;
    const next: JsonValue[] = [];
    for (const value of level) {
      if (typeof value !== "object" || value === null) continue;
      for (const item of Object.values(value)) next.push(item);
    }
    level = next;
  }
  return undefined;
}

/** The most references to follow for one value. Real schemas need less than a hundred. */
const MAX_REFERENCES = 10_000;
/** The longest chain of references for one value. */
const MAX_CHAIN = 256;

/**
 * Throws for schemas whose validation would not end, or would take very long: a definition that only refers to itself, and
 * references that validate one value very many times. Twenty definitions that each refer to the next one twice validate
 * it a million times.
 *
 * @throws McpCodegenError `SCHEMA_INVALID`
 */
export function assertFiniteValidation(root: SchemaIR, definitions: Definitions): void {
  if (definitions.size === 0) return;
  const counter = new ReferenceCounter(definitions);
  const reached = new Set([root, ...definitions.values()]);
  for (const node of reached) {
    counter.count(node);
    for (const child of childrenOf(node)) reached.add(child);
  }
}

interface References {
  readonly count: number;
  readonly chain: number;
}

class ReferenceCounter {
  readonly #definitions: Definitions;
  readonly #known = new Map<SchemaIR, References>();
  readonly #open = new Set<SchemaIR>();

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
  }

  /** Counts the references to follow to validate one value. */
  count(node: SchemaIR, depth = 0): References {
    const known = this.#known.get(node);
    if (known !== undefined) return known;
    const target = node.kind === "ref" ? this.#definitions.get(node.target) : undefined;
    const parts = target === undefined ? partsOf(node) : [target];
    const step = target === undefined ? 0 : 1;
    if (target !== undefined && this.#open.has(target)) {
      const message = `The schema at "${target.at}" only refers to itself.`;
      throw new McpCodegenError("SCHEMA_INVALID", message);
    }
    this.#open.add(node);
    let [count, chain] = [0, 0];
    for (const part of depth > MAX_CHAIN ? [] : parts) {
      const found = this.count(part, depth + step);
      count += found.count + step;
      chain = Math.max(chain, found.chain + step);
    }
    if (count > MAX_REFERENCES || Math.max(chain, depth) > MAX_CHAIN) {
      const message = `The schema at "${node.at}" follows too many references to validate one value.`;
      throw new McpCodegenError("SCHEMA_INVALID", message);
    }
    this.#open.delete(node);
    this.#known.set(node, { count, chain });
    return { count, chain };
  }
}

/** Returns the subschemas that validate the same value as their schema. */
function partsOf(node: SchemaIR): readonly SchemaIR[] {
  if (node.kind === "object") return node.dependents.flatMap(({ schema }) => schema ?? []);
  // Properties and items are other values.
  if (node.kind === "unevaluated") return [node.schema];
  return node.kind === "array" ? [] : childrenOf(node);
}
