import { McpCodegenError } from "../contract/errors.js";
import type { Definitions, SchemaIR } from "../contract/schema-ir.js";
import { childrenOf } from "./name-definitions.js";

/** To judge one value. Real schemas follow less than a hundred. */
const MOST_REFERENCES = 10_000;
/** From one reference to another, for the same value. */
const LONGEST_CHAIN = 256;

/**
 * Refuses schemas whose validation would not end, or not soon: a definition that is only a reference to itself, and references that
 * lead to each other so that one value is judged very many times. Twenty definitions, each of which refers to the next one
 * twice, make a million.
 *
 * @throws McpCodegenError `SCHEMA_INVALID`
 */
export function assertJudgeable(root: SchemaIR, definitions: Definitions): void {
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

  /** The references that are followed to judge a value by a schema. */
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
    for (const part of depth > LONGEST_CHAIN ? [] : parts) {
      const found = this.count(part, depth + step);
      count += found.count + step;
      chain = Math.max(chain, found.chain + step);
    }
    if (count > MOST_REFERENCES || Math.max(chain, depth) > LONGEST_CHAIN) {
      const message = `The schema at "${node.at}" refers to too many others to judge one value by.`;
      throw new McpCodegenError("SCHEMA_INVALID", message);
    }
    this.#open.delete(node);
    this.#known.set(node, { count, chain });
    return { count, chain };
  }
}

/** The schemas that judge the same value as this one. */
function partsOf(node: SchemaIR): readonly SchemaIR[] {
  if (node.kind === "object") return node.dependents.flatMap(({ schema }) => schema ?? []);
  // Nor are the properties and items that are left over.
  if (node.kind === "unevaluated") return [node.schema];
  // Items are other values than the list that holds them.
  return node.kind === "array" ? [] : childrenOf(node);
}
