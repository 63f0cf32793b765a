import type { Definitions, SchemaIR, TypedNode } from "../../core/schema-ir.js";
import { childrenOf } from "../ir/subschemas.js";

/**
 * How deep schemas may nest in one declaration. TypeScript rejects the type of sixteen nested optional objects (TS2589,
 * "excessively deep").
 */
const MAX_DEPTH = 10;

/**
 * Returns the same schema with every part that is too deep moved to a definition, under the part's address.
 */
export function cutDeep(
  root: SchemaIR,
  definitions: Definitions,
): { readonly root: SchemaIR; readonly definitions: Definitions } {
  const cut = new Map<string, SchemaIR>();
  const shorten = (node: SchemaIR, depth: number): SchemaIR => {
    if (depth < MAX_DEPTH || !canBeNamed(node) || definitions.has(node.at) || cut.has(node.at))
      return mapParts(node, (part) => shorten(part, depth + 1));
    // Reserve the address before the parts are visited, so that none of them uses it.
    cut.set(node.at, node);
    cut.set(
      node.at,
      mapParts(node, (part) => shorten(part, 1)),
    );
    return { kind: "ref", at: node.at, target: node.at };
  };
  const shortened = shorten(root, 0);
  const entries = [...definitions].map(
    ([address, node]) => [address, address === "" ? shortened : shorten(node, 0)] as const,
  );
  return { root: shortened, definitions: new Map([...entries, ...cut]) };
}

/** Whether a schema may be moved to a definition. The members of `types` must stay in place. */
function canBeNamed(node: SchemaIR): boolean {
  return node.kind === "object" || node.kind === "array" || node.kind === "anyOf" || node.kind === "oneOf";
}

/** Maps the parts of a schema that have a type. Rules that are only checked stay unchanged. */
function mapParts(node: SchemaIR, map: (part: SchemaIR) => SchemaIR): SchemaIR {
  if (node.kind === "anyOf" || node.kind === "oneOf" || node.kind === "allOf")
    return { ...node, members: node.members.map(map) };
  if (node.kind === "types") return { ...node, members: node.members.map((member) => mapTyped(member, map)) };
  return node.kind === "object" || node.kind === "array" ? mapTyped(node, map) : node;
}

function mapTyped(node: TypedNode, map: (part: SchemaIR) => SchemaIR): TypedNode {
  if (node.kind === "object")
    return {
      ...node,
      properties: node.properties.map((property) => ({ ...property, schema: map(property.schema) })),
      additional: node.additional && map(node.additional),
    };
  if (node.kind === "array")
    return {
      ...node,
      prefix: node.prefix.map(map),
      items: node.items && map(node.items),
    };
  return node;
}

/**
 * The most schemas that Zod may visit when it looks for cycles. Zod 4.6 does not cache results below an unresolved `z.lazy`,
 * so it walks every path through the definitions. A definition that refers to the next one twice doubles the steps. A
 * thousand steps take about a millisecond.
 */
export const MAX_ZOD_STEPS = 500_000;

/**
 * Returns the most steps of Zod's search for cycles: one for each schema on each path that visits no definition twice,
 * from the root and from each definition. Counting stops soon after {@link MAX_ZOD_STEPS}.
 */
export function countZodSteps(root: SchemaIR, definitions: Definitions): number {
  const counter = new PathCounter(definitions);
  let steps = 0;
  for (const start of [root, ...definitions.values()])
    if (steps <= MAX_ZOD_STEPS) steps = counter.visit(start);
  return steps;
}

interface Outline {
  /** The number of schemas written in place. */
  readonly size: number;
  /** The definitions it refers to, once for each reference. */
  readonly targets: readonly SchemaIR[];
}

class PathCounter {
  readonly #definitions: Definitions;
  readonly #outlines = new Map<SchemaIR, Outline>();
  #steps = 0;

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
  }

  /** Walks every path from a schema. Returns the steps of all walks so far. */
  visit(start: SchemaIR): number {
    const path = new Set<SchemaIR>([start]);
    const first = this.#outline(start);
    this.#steps += first.size;
    const open = [{ node: start, targets: first.targets, next: 0 }];
    for (let top = open.at(-1); top && this.#steps <= MAX_ZOD_STEPS; top = open.at(-1)) {
      const target = top.targets[top.next++];
      if (target === undefined) {
        open.pop();
        path.delete(top.node);
      } else if (!path.has(target)) {
        const { size, targets } = this.#outline(target);
        this.#steps += size;
        path.add(target);
        open.push({ node: target, targets, next: 0 });
      }
    }
    return this.#steps;
  }

  #outline(node: SchemaIR): Outline {
    const known = this.#outlines.get(node);
    if (known !== undefined) return known;
    const targets: SchemaIR[] = [];
    const parts: SchemaIR[] = [node];
    // The list grows during the loop.
    for (const part of parts) {
      if (part.kind !== "ref") parts.push(...childrenOf(part));
      else {
        const target = this.#definitions.get(part.target);
        if (target !== undefined) targets.push(target);
      }
    }
    const outline: Outline = { size: parts.length, targets };
    this.#outlines.set(node, outline);
    return outline;
  }
}
