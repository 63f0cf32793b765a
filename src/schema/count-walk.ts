import type { Definitions, SchemaIR } from "../contract/schema-ir.js";
import { childrenOf } from "./name-definitions.js";

/**
 * The most schemas that Zod may visit when it looks for cycles. Zod 4.6 forgets what it found below a `z.lazy` that is not
 * resolved yet, so it walks every path through the definitions: definitions that refer to the next one twice double its
 * steps. A thousand steps take about a millisecond.
 */
export const MOST_ZOD_STEPS = 500_000;

/**
 * The steps of Zod's search for cycles at worst: one for each schema on each path that visits no definition twice, from the root
 * and from each definition. Counting stops soon after {@link MOST_ZOD_STEPS}.
 */
export function countZodSteps(root: SchemaIR, definitions: Definitions): number {
  const counter = new PathCounter(definitions);
  let steps = 0;
  for (const start of [root, ...definitions.values()])
    if (steps <= MOST_ZOD_STEPS) steps = counter.visit(start);
  return steps;
}

interface Outline {
  /** The schemas that are written in place. */
  readonly size: number;
  /** The definitions that are referred to, as often as they are. */
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
    for (let top = open.at(-1); top && this.#steps <= MOST_ZOD_STEPS; top = open.at(-1)) {
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
    // The list grows while it is read.
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
