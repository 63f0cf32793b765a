import type { NumberNode } from "../../contract/schema-ir.js";

const BOUNDS = ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"] as const;

/**
 * Returns the bounds of a number that callers can reach, by keyword. Converters write ±9007199254740991 on every integer:
 * larger integers are not exact in JavaScript, and RFC 8259 (section 6) does not guarantee them elsewhere.
 */
export function boundsOf(node: NumberNode): readonly (readonly [(typeof BOUNDS)[number], number])[] {
  return BOUNDS.flatMap((keyword) => {
    const bound = node[keyword];
    if (bound === undefined || (node.isInteger && !isReachable(keyword, bound))) return [];
    return [[keyword, bound] as const];
  });
}

function isReachable(keyword: (typeof BOUNDS)[number], bound: number): boolean {
  const outermost = keyword.startsWith("exclusive") ? Number.MAX_SAFE_INTEGER + 1 : Number.MAX_SAFE_INTEGER;
  return isLowerBound(keyword) ? bound > -outermost : bound < outermost;
}

/** Whether a keyword is a lower bound. */
export function isLowerBound(keyword: (typeof BOUNDS)[number]): boolean {
  return keyword === "minimum" || keyword === "exclusiveMinimum";
}
