import type {
  ArrayNode,
  Definitions,
  IfNode,
  NotNode,
  ObjectNode,
  SchemaDiagnostic,
  SchemaIR,
  TypedNode,
  UnevaluatedNode,
} from "../contract/schema-ir.js";
import { closeUnevaluated } from "./close-unevaluated.js";
import { isFlat, isApproximate } from "./is-approximate.js";
import { saysTypesAlone } from "./narrow-types.js";
import { ALL_TYPES, areAllDisjoint, typesOf, annotate } from "./node-types.js";
import { simplifyAllOf } from "./simplify-all-of.js";

/** What is left is printed as checks beside each other, which means the same. */
const MOST_MERGES = 500;

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
  #mergesLeft = MOST_MERGES;
  readonly #merging = new Set<string>();
  /** What could not be kept. */
  readonly diagnostics: SchemaDiagnostic[] = [];

  constructor(definitions: Definitions) {
    this.#source = definitions;
  }

  /** The definitions that have been asked for so far; for all others, as they were read. */
  get definitions(): Definitions {
    return this.#source;
  }

  /**
   * What `make` makes of two schemas. Undefined where that would have no end, since two references lead to themselves, or
   * none to speak of, since references double again and again.
   */
  merge(a: SchemaIR, b: SchemaIR, make: () => SchemaIR | undefined): SchemaIR | undefined {
    const pair = a.kind === "ref" && b.kind === "ref" ? `${a.target}\n${b.target}` : undefined;
    if (this.#mergesLeft === 0 || (pair !== undefined && this.#merging.has(pair))) return undefined;
    this.#mergesLeft -= 1;
    if (pair !== undefined) this.#merging.add(pair);
    const merged = make();
    if (pair !== undefined) this.#merging.delete(pair);
    return merged;
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
      case "interpreted":
        return node;
      case "array":
      case "object":
        return this.#typed(node);
      case "types":
        // Keywords without a value that rules anything out, such as `minLength: 0`.
        if (typesOf(node, this.#source) === ALL_TYPES && saysTypesAlone(node))
          return annotate({ kind: "any", at: node.at }, node.annotations);
        return { ...node, members: node.members.map((member) => this.#typed(member)) };
      case "anyOf":
        return this.union("anyOf", node.members.map((member) => this.simplify(member)), node); // prettier-ignore
      case "oneOf": {
        const isExact = !node.members.some((member) => isApproximate(member, this));
        if (!isExact)
          this.#loosen(node.at, "A branch cannot be checked whole, so more than one is let through.");
        return this.union(isExact ? "oneOf" : "anyOf", node.members.map((member) => this.simplify(member)), node); // prettier-ignore
      }
      case "allOf":
        return simplifyAllOf(node, node.members.map((member) => this.simplify(member)), this); // prettier-ignore
      case "not":
        return this.#not(node);
      case "if":
        return this.#if(node);
      case "unevaluated":
        return this.#unevaluated(node);
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
    const overlaps = kind === "oneOf" && !areAllDisjoint(possible, this.#source);
    return annotate({ kind: overlaps ? "oneOf" : "anyOf", at: node.at, members: possible }, node.annotations);
  }

  #not(node: NotNode): SchemaIR {
    if (isApproximate(node.schema, this))
      return this.#loosen(node.at, "What must not fit cannot be checked whole, and is not checked.");
    const schema = this.simplify(node.schema);
    if (schema.kind === "never") return { kind: "any", at: node.at };
    return schema.kind === "any" ? { kind: "never", at: node.at } : { ...node, schema };
  }

  #if(node: IfNode): SchemaIR {
    if (node.then === undefined && node.else === undefined) return { kind: "any", at: node.at };
    if (isApproximate(node.if, this))
      return this.#loosen(node.at, "The condition cannot be checked whole, so neither branch is checked.");
    return {
      ...node,
      if: this.simplify(node.if),
      ...(node.then && { then: this.simplify(node.then) }),
      ...(node.else && { else: this.simplify(node.else) }),
    };
  }

  #unevaluated(node: UnevaluatedNode): SchemaIR {
    const schema = this.simplify(node.schema);
    const { at, properties, items, annotations } = node;
    const closed = isFlat(node.schema, this) ? this.#close(node, schema) : undefined;
    if (closed) return closed;
    const rules = [properties, items].filter((rule) => rule !== undefined && rule.kind !== "any");
    if (schema.kind === "never" || rules.length === 0) return annotate(schema, annotations);
    const isExact = !isApproximate(node, this);
    for (const rule of rules) {
      if (!isExact) this.#loosen(rule.at, "What the combined schemas leave unevaluated cannot be determined completely, and is not checked."); // prettier-ignore
      else this.#fallBack(rule.at, "What the combined schemas leave unevaluated depends on which of them hold, and is determined by interpreting them."); // prettier-ignore
    }
    if (!isExact) return annotate(schema, annotations);
    const interpreted: SchemaIR = { kind: "interpreted", at, schema, rule: node };
    return annotate(annotate(interpreted, schema.annotations), annotations);
  }

  #close(node: UnevaluatedNode, schema: SchemaIR): SchemaIR | undefined {
    const { properties, items } = node;
    return closeUnevaluated({
      ...node,
      schema,
      ...(properties && { properties: this.simplify(properties) }),
      ...(items && { items: this.simplify(items) }),
    });
  }

  #fallBack(path: string, message: string): void {
    this.diagnostics.push({ code: "SCHEMA_FALLBACK", path, message });
  }

  #loosen(path: string, message: string): SchemaIR {
    this.diagnostics.push({ code: "KEYWORD_LOOSENED", path, message });
    return { kind: "any", at: path };
  }

  #typed<T extends TypedNode>(node: T): T;
  #typed(node: TypedNode): TypedNode {
    if (node.kind === "array") return this.#array(node);
    return node.kind === "object" ? this.#object(node) : node;
  }

  #array(node: ArrayNode): ArrayNode {
    const { contains, ...rest } = node;
    const schema = contains && this.simplify(contains.schema);
    const isExact = contains?.max === undefined || !isApproximate(contains.schema, this);
    if (!isExact)
      this.#loosen(
        `${node.at}/maxContains`,
        "What is counted cannot be checked whole, so the most is not checked.",
      );
    return {
      ...rest,
      prefix: node.prefix.map((item) => this.simplify(item)),
      ...(node.items && { items: this.simplify(node.items) }),
      ...(contains &&
        schema && {
          contains: {
            schema,
            min: contains.min,
            isEvaluated: contains.isEvaluated,
            ...(isExact && contains.max !== undefined && { max: contains.max }),
          },
        }),
    };
  }

  #object(node: ObjectNode): ObjectNode {
    return {
      ...node,
      properties: node.properties.map((property) => ({
        ...property,
        schema: this.simplify(property.schema),
      })),
      patterns: node.patterns.map(({ pattern, schema }) => ({ pattern, schema: this.simplify(schema) })),
      ...(node.additional && { additional: this.simplify(node.additional) }),
      ...(node.names && { names: this.simplify(node.names) }),
      dependents: node.dependents.map((dependent) => dependent.schema ? { ...dependent, schema: this.simplify(dependent.schema) } : dependent), // prettier-ignore
    };
  }
}
