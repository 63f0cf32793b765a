import type { Definitions, SchemaIR } from "../../core/schema-ir.js";
import { findComponents } from "../pattern/find-components.js";
import { isReservedWord, toPascalCase } from "./identifiers.js";
import { splitPointer } from "../../core/json-pointer.js";

// Global and imported names that a generated module uses, and names that a reader would confuse with them.
const TAKEN_GLOBALS: ReadonlySet<string> = new Set(
  (
    "Array ArrayBuffer AsyncDisposable BigInt Boolean Buffer CallOptions Date Error Exclude Extract Function Infinity Iterable " +
    "Iterator JSON Map Math NaN NonNullable Number Object Omit Partial Pick Promise Proxy Readonly ReadonlyArray Record " +
    "Reflect RegExp Required ReturnType Set String Symbol Tool ToolContent ToolDefinition ToolError ToolMembers URL WeakMap WeakSet " +
    "any bigint boolean defineTool globalThis never null number object server string symbol undefined unknown void z"
  ).split(" "),
);

/** Whether a name must not be declared in a generated module, since it is already used there. */
export function isTakenGlobal(name: string): boolean {
  return TAKEN_GLOBALS.has(name);
}

/** Returns a free name for a new type in a module and adds it to `taken`. */
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

/** Returns the definitions that become named declarations: recursive ones, ones that the author named, and large ones. */
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

/** Returns the preferred name of a definition, from its key. */
export function wantedName(pointer: string): string {
  return toPascalCase(splitPointer(pointer).at(-1) ?? "");
}

function isNamedByAuthor(pointer: string): boolean {
  const container = splitPointer(pointer).at(-2);
  return container === "$defs" || container === "definitions";
}

// A leaf, such as a string with a pattern, is easier to read when it is repeated than as a named declaration.
function isLeaf(node: SchemaIR): boolean {
  return ["any", "never", "null", "boolean", "number", "string", "literal", "ref"].includes(node.kind);
}

/** Returns the definitions that a schema refers to, in the order of the references. */
export function targetsOf(node: SchemaIR): ReadonlySet<string> {
  const targets = new Set<string>();
  const visit = (part: SchemaIR): void => {
    if (part.kind === "ref") targets.add(part.target);
    else childrenOf(part).forEach(visit);
  };
  visit(node);
  return targets;
}

/** Returns the subschemas of a schema, without the targets of references. */
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
