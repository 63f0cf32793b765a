/** A node of the syntax tree of `php-parser`: a plain object with a `kind`. Only the used keys are typed. */
export interface PhpNode {
  readonly kind: string;
  readonly loc?: { readonly start?: { readonly line?: number } } | null;
  readonly [key: string]: unknown;
}

export function isPhpNode(value: unknown): value is PhpNode {
  return typeof value === "object" && value !== null && "kind" in value && typeof value.kind === "string";
}

/** Returns the node under a key, if there is one. */
export function childOf(node: PhpNode, key: string): PhpNode | undefined {
  const value = node[key];
  return isPhpNode(value) ? value : undefined;
}

/** Returns the nodes of a list under a key. */
export function childrenAt(node: PhpNode, key: string): readonly PhpNode[] {
  const value = node[key];
  return Array.isArray(value) ? value.filter(isPhpNode) : [];
}

/** Returns the name of an identifier, a constant, a function or a variable, without namespace. */
export function nameOf(value: unknown): string | undefined {
  if (typeof value === "string") return value.slice(value.lastIndexOf("\\") + 1);
  return isPhpNode(value) ? nameOf(value["name"]) : undefined;
}

export function lineOf(node: PhpNode): number {
  return node.loc?.start?.line ?? 0;
}

/** Visits a node and its descendants, outermost first. The innermost of `ancestors` is last. */
export function walk(
  node: PhpNode,
  visit: (node: PhpNode, ancestors: readonly PhpNode[]) => void,
  ancestors: readonly PhpNode[] = [],
): void {
  visit(node, ancestors);
  const inner = [...ancestors, node];
  for (const value of Object.values(node)) {
    if (isPhpNode(value)) walk(value, visit, inner);
    else if (Array.isArray(value)) {
      for (const item of value) if (isPhpNode(item)) walk(item, visit, inner);
    }
  }
}

/** Nodes with a variable scope. */
export const FUNCTIONS: ReadonlySet<string> = new Set([
  "function",
  "method",
  "closure",
  "arrowfunc",
  "program",
]);
