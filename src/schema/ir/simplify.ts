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
} from "../../core/schema-ir.js";
import { isFlat, isApproximate, schemaOfProperty } from "./subschemas.js";
import { closeUnevaluated, type Combining, hasOnlyTypes, simplifyAllOf } from "./simplify-all-of.js";
import { ALL_TYPES, areAllDisjoint, typesOf, annotate } from "./node-types.js";

/** The most merges of two schemas. Further schemas are printed as separate checks, with the same meaning. */
const MAX_MERGES = 500;

/**
 * Rewrites schemas to a form that accepts exactly the same values and is easiest to read as code. In the result:
 *
 * - the first member of an `allOf` is its base, and the others are checks on it;
 * - the branches of a `oneOf` may overlap; otherwise it is an `anyOf`;
 * - object schemas are merged where possible, and a base of all branches is moved into them if a branch names other
 *   properties.
 */
export class Simplifier implements Combining {
  /** The definitions before simplification. */
  readonly definitions: Definitions;
  readonly #done = new Map<string, SchemaIR>();
  readonly #open = new Set<string>();
  #mergesLeft = MAX_MERGES;
  readonly #merging = new Set<string>();
  /** Rules that could not be kept. */
  readonly diagnostics: SchemaDiagnostic[] = [];

  constructor(definitions: Definitions) {
    this.definitions = definitions;
  }

  merge(a: SchemaIR, b: SchemaIR, make: () => SchemaIR | undefined): SchemaIR | undefined {
    const pair = a.kind === "ref" && b.kind === "ref" ? `${a.target}\n${b.target}` : undefined;
    if (this.#mergesLeft === 0 || (pair !== undefined && this.#merging.has(pair))) return undefined;
    this.#mergesLeft -= 1;
    if (pair !== undefined) this.#merging.add(pair);
    const merged = make();
    if (pair !== undefined) this.#merging.delete(pair);
    return merged;
  }

  definition(pointer: string): SchemaIR | undefined {
    const done = this.#done.get(pointer);
    const source = this.definitions.get(pointer);
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
        // Keywords without an effect, such as `minLength: 0`.
        if (typesOf(node, this.definitions) === ALL_TYPES && hasOnlyTypes(node))
          return annotate({ kind: "any", at: node.at }, node.annotations);
        return { ...node, members: node.members.map((member) => this.#typed(member)) };
      case "anyOf":
        return this.union("anyOf", node.members.map((member) => this.simplify(member)), node); // prettier-ignore
      case "oneOf": {
        const isExact = !node.members.some((member) => isApproximate(member, this));
        if (!isExact)
          this.#loosen(
            node.at,
            'A branch of "oneOf" cannot be checked completely, so a value may fit several.',
          );
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

  union(kind: "anyOf" | "oneOf", members: readonly SchemaIR[], node: SchemaIR): SchemaIR {
    const some = members.filter((member) => member.kind !== "never");
    // A branch that requires what it refuses says nothing, unless there is no other.
    const possible = some.every(isImpossible) ? some : some.filter((member) => !isImpossible(member));
    const [only] = possible;
    if (only === undefined) return { kind: "never", at: node.at };
    if (possible.length === 1) return annotate(only, node.annotations);
    if (kind === "anyOf" && possible.some((member) => member.kind === "any")) return annotate({ kind: "any", at: node.at }, node.annotations); // prettier-ignore
    const overlaps = kind === "oneOf" && !areAllDisjoint(possible, this.definitions);
    return annotate({ kind: overlaps ? "oneOf" : "anyOf", at: node.at, members: possible }, node.annotations);
  }

  #not(node: NotNode): SchemaIR {
    if (isApproximate(node.schema, this))
      return this.#loosen(node.at, 'The schema of "not" cannot be checked completely, so it is not checked.');
    const schema = this.simplify(node.schema);
    if (schema.kind === "never") return { kind: "any", at: node.at };
    return schema.kind === "any" ? { kind: "never", at: node.at } : { ...node, schema };
  }

  #if(node: IfNode): SchemaIR {
    if (node.then === undefined && node.else === undefined) return { kind: "any", at: node.at };
    if (isApproximate(node.if, this))
      return this.#loosen(
        node.at,
        'The schema of "if" cannot be checked completely, so neither branch is checked.',
      );
    return {
      ...node,
      if: this.simplify(node.if),
      then: node.then && this.simplify(node.then),
      else: node.else && this.simplify(node.else),
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
      if (!isExact) this.#loosen(rule.at, "A combined schema cannot be checked completely, so unevaluated parts are not checked."); // prettier-ignore
      else this.#fallBack(rule.at, "Which parts are unevaluated depends on which combined schemas fit, so the schema is interpreted."); // prettier-ignore
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
      properties: properties && this.simplify(properties),
      items: items && this.simplify(items),
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
    const { contains } = node;
    const isExact = contains?.max === undefined || !isApproximate(contains.schema, this);
    if (!isExact)
      this.#loosen(
        `${node.at}/maxContains`,
        'The schema of "contains" cannot be checked completely, so "maxContains" is not checked.',
      );
    return {
      ...node,
      prefix: node.prefix.map((item) => this.simplify(item)),
      items: node.items && this.simplify(node.items),
      contains: contains && {
        schema: this.simplify(contains.schema),
        min: contains.min,
        max: isExact ? contains.max : undefined,
        isEvaluated: contains.isEvaluated,
      },
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
      additional: node.additional && this.simplify(node.additional),
      names: node.names && this.simplify(node.names),
      dependents: node.dependents.map((dependent) => dependent.schema ? { ...dependent, schema: this.simplify(dependent.schema) } : dependent), // prettier-ignore
    };
  }
}

/** Whether an object requires a property that it refuses. */
function isImpossible(node: SchemaIR): boolean {
  if (node.kind === "allOf") return node.members.some(isImpossible);
  if (node.kind !== "object") return false;
  return node.properties.some(
    (property) => property.isRequired && schemaOfProperty(property, node).kind === "never",
  );
}
