import type { JsonValue } from "../../../contract/json.js";

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

/** A PHP value that a literal can have. */
export type PhpValue = null | boolean | number | string | PhpArray;

/** The values by key, in order. An integer key is a number. */
export type PhpArray = ReadonlyMap<string | number, PhpValue>;

/** Returns an array of these entries. An entry without a key gets the next number. */
export function arrayOf(
  entries: readonly (readonly [key: PhpValue | undefined, value: PhpValue])[],
): PhpArray {
  const array = new Map<string | number, PhpValue>();
  let next = 0;
  for (const [key, value] of entries) {
    const at = key === undefined ? next : keyOf(key);
    if (typeof at === "number" && at >= next) next = at + 1;
    array.set(at, value);
  }
  return array;
}

/** Merges arrays like `array_merge()`: string keys are overwritten, numbers are renumbered. */
export function mergeArrays(arrays: readonly PhpArray[]): PhpArray {
  return arrayOf(
    arrays.flatMap((array) =>
      [...array].map(([key, value]) => [typeof key === "number" ? undefined : key, value] as const),
    ),
  );
}

/** Converts a value like `json_encode()`: an array with the keys 0, 1, 2 … is a list. */
export function toJson(value: PhpValue): JsonValue {
  if (!(value instanceof Map)) return value as Exclude<PhpValue, PhpArray>;
  const array: PhpArray = value;
  const isList = [...array.keys()].every((key, index) => key === index);
  return isList
    ? [...array.values()].map(toJson)
    : Object.fromEntries([...array].map(([key, item]) => [String(key), toJson(item)]));
}

function keyOf(key: PhpValue): string | number {
  if (typeof key === "number") return Math.trunc(key);
  if (typeof key === "boolean") return Number(key);
  if (typeof key !== "string") return "";
  return /^(?:0|-?[1-9]\d{0,14})$/.test(key) ? Number(key) : key;
}
