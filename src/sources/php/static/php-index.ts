import type { PhpClass, Scope } from "./evaluate.js";
import { childOf, childrenAt, FUNCTIONS, nameOf, walk, type PhpNode } from "./php-tree.js";

export interface PhpFile {
  readonly path: string;
  readonly tree: PhpNode;
}

/** The declarations of the files, by name without namespace. A name that is declared twice is omitted. */
export interface PhpIndex extends Pick<Scope, "constants" | "functions" | "classes"> {
  readonly byNode: ReadonlyMap<PhpNode, PhpClass>;
}

export function indexFiles(files: readonly PhpFile[]): PhpIndex {
  const constants = new Declarations<PhpNode>();
  const functions = new Declarations<PhpNode>();
  const classNodes: PhpNode[] = [];
  for (const { tree } of files) {
    walk(tree, (node, ancestors) => {
      if (node.kind === "class" || node.kind === "trait") classNodes.push(node);
      if (node.kind === "function" && isAlwaysDeclared(ancestors)) functions.add(nameOf(node), node);
      if (node.kind === "constantstatement") {
        for (const constant of childrenAt(node, "constants"))
          constants.add(nameOf(constant), childOf(constant, "value"));
      }
      if (node.kind === "call" && nameOf(childOf(node, "what")) === "define") {
        const [name, value] = childrenAt(node, "arguments");
        if (typeof name?.["value"] === "string") constants.add(name["value"], value);
      }
    });
  }
  const parents = new Set(classNodes.map((node) => nameOf(childOf(node, "extends"))));
  const classes = new Declarations<PhpClass>();
  const byNode = new Map<PhpNode, PhpClass>();
  for (const node of classNodes) {
    const found = classOf(node, parents);
    byNode.set(node, found);
    classes.add(found.name, found);
  }
  return { constants: constants.once(), functions: functions.once(), classes: classes.once(), byNode };
}

/** Returns the scope of a node with these ancestors. */
export function scopeAt({ byNode, ...index }: PhpIndex, ancestors: readonly PhpNode[]): Scope {
  const own = ancestors.map((node) => byNode.get(node)).findLast((found) => found !== undefined);
  const body = ancestors.findLast(({ kind }) => FUNCTIONS.has(kind));
  return { ...index, ...(own !== undefined && { own }), variables: variablesOf(body), depth: 0 };
}

class Declarations<T> {
  readonly #found = new Map<string, T | undefined>();

  add(name: string | undefined, value: T | undefined): void {
    if (name !== undefined) this.#found.set(name, this.#found.has(name) ? undefined : value);
  }

  once(): ReadonlyMap<string, T> {
    return new Map([...this.#found].flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  }
}

/**
 * Whether a function is always declared. `if ( ! function_exists( 'f' ) ) { function f() … }` may be declared
 * elsewhere.
 */
function isAlwaysDeclared(ancestors: readonly PhpNode[]): boolean {
  return ancestors.every(({ kind }) => kind === "program" || kind === "namespace");
}

function classOf(node: PhpNode, parents: ReadonlySet<string | undefined>): PhpClass {
  const constants = new Map<string, PhpNode>();
  const methods = new Map<string, PhpNode>();
  for (const member of childrenAt(node, "body")) {
    const name = nameOf(member);
    if (member.kind === "method" && name !== undefined) methods.set(name, member);
    for (const constant of member.kind === "classconstant" ? childrenAt(member, "constants") : []) {
      const [key, value] = [nameOf(constant), childOf(constant, "value")];
      if (key !== undefined && value !== undefined) constants.set(key, value);
    }
  }
  const name = nameOf(node) ?? "";
  return { name, constants, methods, isExtended: node.kind === "trait" || parents.has(name) };
}

/**
 * Returns the variables of a function that are assigned once, at its top level, and not modified elsewhere.
 */
function variablesOf(body: PhpNode | undefined): ReadonlyMap<string, PhpNode> {
  if (body === undefined) return new Map();
  const block = childOf(body, "body") ?? body;
  const top = new Set(childrenAt(block, "children").map((statement) => childOf(statement, "expression")));
  const values = new Declarations<PhpNode>();
  const modified = new Set<string>();
  walk(block, (node) => {
    if (node.kind === "assign") {
      const target = childOf(node, "left");
      const root = target && rootOf(target);
      const isPlain = target?.kind === "variable" && top.has(node) && node["operator"] === "=";
      if (isPlain) values.add(root, childOf(node, "right"));
      else if (root !== undefined) modified.add(root);
    }
    if (node.kind === "foreach") {
      for (const key of ["key", "value"]) modified.add(nameOf(childOf(node, key)) ?? "");
    }
    if (["unset", "global", "static", "assignref", "pre", "post"].includes(node.kind)) {
      walk(node, (inner) => {
        if (inner.kind === "variable") modified.add(nameOf(inner) ?? "");
      });
    }
  });
  return new Map([...values.once()].filter(([name]) => !modified.has(name)));
}

function rootOf(node: PhpNode): string | undefined {
  const inner = node.kind === "offsetlookup" ? childOf(node, "what") : undefined;
  return inner === undefined ? nameOf(node) : rootOf(inner);
}
