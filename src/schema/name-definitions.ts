import type { Definitions, SchemaIR } from "../contract/schema-ir.js";
import { findComponents } from "./find-components.js";
import { isReservedWord, toPascalCase } from "./identifiers.js";
import { splitPointer } from "../contract/json-pointer.js";

// What a generated module refers to by its global or imported name, and what a reader would take for that.
const TAKEN_GLOBALS: ReadonlySet<string> = new Set(
  (
    "Array ArrayBuffer AsyncDisposable BigInt Boolean Buffer CallOptions Date Error Exclude Extract Function Infinity Iterable " +
    "Iterator JSON Map Math NaN NonNullable Number Object Omit Partial Pick Promise Proxy Readonly ReadonlyArray Record " +
    "Reflect RegExp Required ReturnType Set String Symbol Tool ToolContent ToolDefinition ToolError ToolMembers URL WeakMap WeakSet " +
    "any bigint boolean defineTool globalThis never null number object server string symbol undefined unknown void z"
  ).split(" "),
);

/** Whether a name must not be declared in a generated module, since something there is called so already. */
export function isTakenGlobal(name: string): boolean {
  return TAKEN_GLOBALS.has(name);
}

/** The name of a new type in a module, which is taken from then on. */
export function claimName(wanted: string, fallback: string, taken: Set<string>): string {
  const base = wanted === "" ? "Schema" : wanted;
  const isFree = (name: string): boolean => !taken.has(name) && !isTakenGlobal(name) && !isReservedWord(name);
  const candidates = [base, `${base}${fallback}`];
  let name = candidates.find(isFree);
  for (let count = 2; name === undefined; count += 1) {
    if (isFree(`${base}${fallback}${count}`)) name = `${base}${fallback}${count}`;
  }
  taken.add(name);
  return name;
}

/** The definitions that get a name of their own: what recurs, and what the schema's author has named. */
export function findNamed(
  root: SchemaIR,
  definitions: Definitions,
): { readonly named: readonly string[]; readonly recursive: ReadonlySet<string> } {
  const edges = new Map<string, ReadonlySet<string>>();
  const open = [...targetsOf(root)];
  for (let target = open.shift(); target !== undefined; target = open.shift()) {
    const node = definitions.get(target);
    if (edges.has(target) || node === undefined) continue;
    edges.set(target, targetsOf(node));
    open.push(...targetsOf(node));
  }
  const components = findComponents([...edges.keys()], (target) =>
    [...(edges.get(target) ?? [])].filter((next) => edges.has(next)),
  );
  const sizes = new Map<string, number>();
  for (const component of components.values()) sizes.set(component, (sizes.get(component) ?? 0) + 1);
  const isRecursive = (target: string): boolean =>
    edges.get(target)?.has(target) === true || (sizes.get(components.get(target) ?? "") ?? 0) > 1;
  const recursive = new Set([...edges.keys()].filter(isRecursive));
  const named = [...edges.keys()].filter((target) => {
    const node = definitions.get(target);
    return recursive.has(target) || isNamedByAuthor(target) || (node !== undefined && !isLeaf(node));
  });
  return { named, recursive };
}

/** What a definition is called where nothing is in the way: after its key. */
export function wantedName(pointer: string): string {
  return toPascalCase(splitPointer(pointer).at(-1) ?? "");
}

function isNamedByAuthor(pointer: string): boolean {
  const container = splitPointer(pointer).at(-2);
  return container === "$defs" || container === "definitions";
}

// Such as a string with a pattern: written again where it is meant, it reads better than a name does.
function isLeaf(node: SchemaIR): boolean {
  return ["any", "never", "null", "boolean", "number", "string", "literal", "ref"].includes(node.kind);
}

/** The definitions that a schema refers to, in the order it does. */
export function targetsOf(node: SchemaIR): ReadonlySet<string> {
  const targets = new Set<string>();
  const visit = (part: SchemaIR): void => {
    if (part.kind === "ref") targets.add(part.target);
    else childrenOf(part).forEach(visit);
  };
  visit(node);
  return targets;
}

/** The schemas that a schema is made of, not those it refers to. */
export function childrenOf(node: SchemaIR): readonly SchemaIR[] {
  const some = (...nodes: readonly (SchemaIR | undefined)[]): readonly SchemaIR[] =>
    nodes.filter((part) => part !== undefined);
  switch (node.kind) {
    case "any":
    case "never":
    case "null":
    case "boolean":
    case "number":
    case "string":
    case "literal":
    case "ref":
      return [];
    case "array":
      return [...node.prefix, ...some(node.items, node.contains?.schema)];
    case "object":
      return [
        ...node.properties.map(({ schema }) => schema),
        ...node.patterns.map(({ schema }) => schema),
        ...some(node.additional, node.names, ...node.dependents.map(({ schema }) => schema)),
      ];
    case "types":
    case "anyOf":
    case "oneOf":
    case "allOf":
      return node.members;
    case "not":
      return [node.schema];
    case "if":
      return some(node.if, node.then, node.else);
    case "interpreted":
      return [node.schema];
    case "unevaluated":
      return some(node.schema, node.properties, node.items);
    default:
      return node satisfies never;
  }
}
