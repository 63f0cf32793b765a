import type { Annotations, Definitions, ObjectNode, SchemaIR, TypedNode } from "../contract/schema-ir.js";
import { isDisjoint } from "./node-types.js";
import { simplifyAllOf } from "./simplify-all-of.js";

/**
 * Rewrites schemas into the form that reads best as code, accepting exactly the same values. In what comes back:
 *
 * - an `allOf` is a first member that is printed, and others that are checks on it;
 * - a `oneOf` is one whose branches may overlap: where they cannot, it has become an `anyOf`;
 * - object schemas that can be merged have been, and a base that is common to all branches has been moved into them
 *   where a branch names properties that the base does not.
 */
export class Simplifier {
  readonly #source: Definitions;
  readonly #done = new Map<string, SchemaIR>();
  readonly #open = new Set<string>();

  constructor(definitions: Definitions) {
    this.#source = definitions;
  }

  /** The definitions that have been asked for so far; for all others, as they were read. */
  get definitions(): Definitions {
    return this.#source;
  }

  /** A definition, simplified; undefined while that very definition is being simplified. */
  definition(pointer: string): SchemaIR | undefined {
    const done = this.#done.get(pointer);
    const source = this.#source.get(pointer);
    if (done !== undefined || source === undefined || this.#open.has(pointer)) return done;
    this.#open.add(pointer);
    const simple = this.simplify(source);
    this.#open.delete(pointer);
    this.#done.set(pointer, simple);
    return simple;
  }

  simplify(node: SchemaIR): SchemaIR {
    switch (node.kind) {
      case "any":
      case "never":
      case "null":
      case "boolean":
      case "number":
      case "string":
      case "literal":
      case "ref":
        return node;
      case "array":
      case "object":
        return this.#typed(node);
      case "types":
        return { ...node, members: node.members.map((member) => this.#typed(member)) };
      case "anyOf":
      case "oneOf":
        return this.union(node.kind, node.members.map((member) => this.simplify(member)), node); // prettier-ignore
      case "allOf":
        return simplifyAllOf(node, node.members.map((member) => this.simplify(member)), this); // prettier-ignore
      case "not":
        return { ...node, schema: this.simplify(node.schema) };
      case "if":
        return {
          ...node,
          if: this.simplify(node.if),
          ...(node.then && { then: this.simplify(node.then) }),
          ...(node.else && { else: this.simplify(node.else) }),
        };
      case "unevaluated": {
        const schema = this.simplify(node.schema);
        return closeUnevaluated({
          ...node,
          schema,
          ...(node.properties && { properties: this.simplify(node.properties) }),
          ...(node.items && { items: this.simplify(node.items) }),
        });
      }
      default:
        return node satisfies never;
    }
  }

  /** `anyOf` or `oneOf` over members that are simple already. */
  union(kind: "anyOf" | "oneOf", members: readonly SchemaIR[], node: SchemaIR): SchemaIR {
    const possible = members.filter((member) => member.kind !== "never");
    const [only] = possible;
    if (only === undefined) return { kind: "never", at: node.at };
    if (possible.length === 1) return annotate(only, node.annotations);
    if (kind === "anyOf" && possible.some((member) => member.kind === "any")) return annotate({ kind: "any", at: node.at }, node.annotations); // prettier-ignore
    const overlaps = kind === "oneOf" && possible.some((a, index) => possible.slice(index + 1).some((b) => !isDisjoint(a, b, this.#source))); // prettier-ignore
    return annotate({ kind: overlaps ? "oneOf" : "anyOf", at: node.at, members: possible }, node.annotations);
  }

  #typed<T extends TypedNode>(node: T): T;
  #typed(node: TypedNode): TypedNode {
    if (node.kind === "array") {
      return {
        ...node,
        prefix: node.prefix.map((item) => this.simplify(item)),
        ...(node.items && { items: this.simplify(node.items) }),
        ...(node.contains && { contains: { ...node.contains, schema: this.simplify(node.contains.schema) } }),
      };
    }
    return node.kind === "object" ? this.#object(node) : node;
  }

  #object(node: ObjectNode): ObjectNode {
    return {
      ...node,
      properties: node.properties.map((property) => ({ ...property, schema: this.simplify(property.schema) })),
      patterns: node.patterns.map(({ pattern, schema }) => ({ pattern, schema: this.simplify(schema) })),
      ...(node.additional && { additional: this.simplify(node.additional) }),
      ...(node.names && { names: this.simplify(node.names) }),
      dependents: node.dependents.map((dependent) => dependent.schema ? { ...dependent, schema: this.simplify(dependent.schema) } : dependent), // prettier-ignore
    };
  }
}

/** What the outer schema says to people wins over what the inner one says. */
export function annotate(node: SchemaIR, annotations: Annotations | undefined): SchemaIR {
  return annotations ? { ...node, annotations: { ...node.annotations, ...annotations } } : node;
}

// Over one plain object or array schema, what is not evaluated is what is neither named nor matched.
function closeUnevaluated(node: SchemaIR & { readonly kind: "unevaluated" }): SchemaIR {
  const { schema, properties, items } = node;
  const close = (member: SchemaIR): SchemaIR | undefined => {
    if (member.kind === "object" && properties) {
      if (member.dependents.some((dependent) => dependent.schema)) return undefined;
      return { ...member, additional: member.additional ?? properties };
    }
    if (member.kind === "array" && items) {
      return member.contains ? undefined : { ...member, items: member.items ?? items };
    }
    return ["null", "boolean", "number", "string", "object", "array"].includes(member.kind) ? member : undefined;
  };
  if (schema.kind === "any") {
    const at = node.at;
    return annotate(
      {
        kind: "types",
        at,
        members: [
          { kind: "object", at, properties: [], patterns: [], dependents: [], ...(properties && { additional: properties }) },
          { kind: "array", at, prefix: [], uniqueItems: false, ...(items && { items }) },
          { kind: "string", at },
          { kind: "number", at, isInteger: false },
          { kind: "boolean", at },
          { kind: "null", at },
        ],
      },
      node.annotations,
    );
  }
  const members = schema.kind === "types" ? schema.members.map(close) : [close(schema)];
  const closed = members.filter((member): member is TypedNode => member !== undefined);
  const [only] = closed;
  if (closed.length !== members.length || only === undefined) return node;
  return annotate(schema.kind === "types" ? { ...schema, members: closed } : only, node.annotations);
}
