import type { RegisteredTool } from "../../../../agent/registry/registered-tool.js";
import { McpCodegenError } from "../../../../core/errors.js";
import type {
  Annotations,
  Definitions,
  ObjectNode,
  ParsedSchema,
  SchemaIR,
} from "../../../../core/schema-ir.js";
import { isSubschema } from "../../../../core/subschemas.js";
import { parseSchema } from "../../../../schema/ir/parse-schema.js";
import { compilePattern } from "../../../../schema/pattern/pattern.js";
import {
  acceptAny,
  type Accepted,
  acceptLiterals,
  acceptType,
  ANYTHING,
  intersect,
} from "./accepted-values.js";

/** A property that a schema declares. */
interface Member {
  readonly schema: SchemaIR;
  /** Whether every valid object has it. */
  readonly isRequired: boolean;
}

type Members = ReadonlyMap<string, Member>;

/**
 * How a schema treats an undeclared key: it has a schema, or the object accepts any key. Undefined if neither: the key
 * is probably mistyped.
 */
type Undeclared =
  | { readonly kind: "ruled"; readonly schema: SchemaIR }
  | { readonly kind: "free" }
  | undefined;

const NO_MEMBERS: Members = new Map();

/**
 * A tool's input schema for reading flags: which types a value may have, and which properties and items it has. Combines
 * all alternatives of a union, since only validation can choose one, after all flags are read.
 */
export class ArgumentSchema {
  readonly root: SchemaIR;
  readonly #definitions: Definitions;
  readonly #accepted = new Map<SchemaIR, Accepted>();
  readonly #members = new Map<SchemaIR, Members>();

  constructor({ ir, definitions }: Pick<ParsedSchema, "ir" | "definitions">) {
    this.root = ir;
    this.#definitions = definitions;
  }

  /** Returns the accepted types and values. */
  accepted(node: SchemaIR): Accepted {
    const known = this.#accepted.get(node);
    if (known !== undefined) return known;
    // A recursive reference adds no restriction.
    this.#accepted.set(node, ANYTHING);
    const accepted = this.#readAccepted(node);
    this.#accepted.set(node, accepted);
    return accepted;
  }

  /** Returns the properties that a schema declares, in the schema's order. */
  members(node: SchemaIR): Members {
    const known = this.#members.get(node);
    if (known !== undefined) return known;
    this.#members.set(node, NO_MEMBERS);
    const members = this.#readMembers(node);
    this.#members.set(node, members);
    return members;
  }

  /** Returns the schema of a property; undefined if it is not declared and the schema allows no other properties. */
  property(node: SchemaIR, name: string): SchemaIR | undefined {
    const member = this.members(node).get(name);
    if (member !== undefined) return member.schema;
    const undeclared = this.#findUndeclared(node, name, new Map());
    return undeclared?.kind === "free" ? { kind: "any", at: node.at } : undeclared?.schema;
  }

  /** Returns the schema of an array item; undefined if there can be no such item. */
  item(node: SchemaIR, index: number): SchemaIR | undefined {
    return this.#findItem(node, index, new Map());
  }

  /** Returns an annotation of a schema, or else of a schema that it references or combines. */
  annotation<K extends keyof Annotations>(node: SchemaIR, key: K): Annotations[K] | undefined {
    const seen = new Set([node]);
    // Parts that are added in the loop are visited too.
    for (const part of seen) {
      const stated = part.annotations?.[key];
      if (stated !== undefined) return stated;
      if (!isAlternative(part)) for (const inner of this.#partsOf(part)) seen.add(inner);
    }
    return undefined;
  }

  #readAccepted(node: SchemaIR): Accepted {
    switch (node.kind) {
      case "any":
      case "not":
      case "if":
        return ANYTHING;
      case "never":
        return acceptAny([]);
      case "number":
        return acceptType("number", node.isInteger);
      case "null":
      case "boolean":
      case "string":
      case "array":
      case "object":
        return acceptType(node.kind);
      case "literal":
        return acceptLiterals(node.values);
      case "types":
      case "anyOf":
      case "oneOf":
        return acceptAny(node.members.map((member) => this.accepted(member)));
      case "allOf":
        return intersect(node.members.map((member) => this.accepted(member)));
      case "ref": {
        const target = this.#definitions.get(node.target);
        return target === undefined ? ANYTHING : this.accepted(target);
      }
      case "unevaluated":
      case "interpreted":
        return this.accepted(node.schema);
      default:
        return node satisfies never;
    }
  }

  #readMembers(node: SchemaIR): Members {
    if (node.kind === "object")
      return new Map(
        node.properties.map(({ name, isRequired, schema, isDeclared }) => [
          name,
          { isRequired, schema: isDeclared ? schema : (this.#findOther(node, name) ?? schema) },
        ]),
      );
    const parts = this.#partsOf(node).map((part) => this.members(part));
    if (node.kind !== "if") return mergeMembers(isAlternative(node) ? "anyOf" : "allOf", parts, node.at);
    // Neither the condition nor its branches always apply.
    const optional = parts.map(
      (part): Members => new Map([...part].map(([name, member]) => [name, { ...member, isRequired: false }])),
    );
    return mergeMembers("anyOf", optional, node.at);
  }

  /** Returns the subschemas that apply to the same value. */
  #partsOf(node: SchemaIR): readonly SchemaIR[] {
    if ("members" in node) return node.members;
    if (node.kind === "if") return [node.if, node.then, node.else].filter((part) => part !== undefined);
    if (node.kind === "unevaluated" || node.kind === "interpreted") return [node.schema];
    const target = node.kind === "ref" ? this.#definitions.get(node.target) : undefined;
    return target === undefined ? [] : [target];
  }

  #findUndeclared(node: SchemaIR, name: string, seen: Map<SchemaIR, Undeclared>): Undeclared {
    if (seen.has(node)) return seen.get(node);
    seen.set(node, undefined);
    const undeclared = this.#readUndeclared(node, name, seen);
    seen.set(node, undeclared);
    return undeclared;
  }

  #readUndeclared(node: SchemaIR, name: string, seen: Map<SchemaIR, Undeclared>): Undeclared {
    if (node.kind === "object") return this.#findUndeclaredIn(node, name);
    if (node.kind === "any" || node.kind === "not" || node.kind === "literal") return { kind: "free" };
    if (node.kind === "unevaluated" && node.properties !== undefined && node.properties.kind !== "never")
      return { kind: "ruled", schema: node.properties };
    const found = this.#partsOf(node).map((part) => this.#findUndeclared(part, name, seen));
    const ruled = found.flatMap((part) => (part?.kind === "ruled" ? [part.schema] : []));
    const isUnion = isAlternative(node) || node.kind === "types";
    const schema = combine(isUnion ? "anyOf" : "allOf", ruled, node.at);
    if (schema !== undefined) return { kind: "ruled", schema };
    const isFree = (part: Undeclared): boolean => part?.kind === "free";
    const isClosed = node.kind === "unevaluated" && node.properties !== undefined;
    if (found.length === 0 || isClosed) return undefined;
    return (isUnion ? found.some(isFree) : found.every(isFree)) ? { kind: "free" } : undefined;
  }

  #findUndeclaredIn(node: ObjectNode, name: string): Undeclared {
    const schema = this.#findOther(node, name);
    if (schema !== undefined) return schema.kind === "never" ? undefined : { kind: "ruled", schema };
    const isFree =
      node.properties.length === 0 && node.patterns.length === 0 && node.additional === undefined;
    return isFree ? { kind: "free" } : undefined;
  }

  /** Returns the schema of a key according to `patternProperties`, or else `additionalProperties`. */
  #findOther({ patterns, additional, at }: ObjectNode, name: string): SchemaIR | undefined {
    const fitting = patterns.filter(({ pattern }) => compilePattern(pattern)?.test(name) === true);
    return (
      combine(
        "allOf",
        fitting.map(({ schema }) => schema),
        at,
      ) ?? additional
    );
  }

  #findItem(node: SchemaIR, index: number, seen: Map<SchemaIR, SchemaIR | undefined>): SchemaIR | undefined {
    if (seen.has(node)) return seen.get(node);
    seen.set(node, undefined);
    const item = this.#readItem(node, index, seen);
    seen.set(node, item);
    return item;
  }

  #readItem(node: SchemaIR, index: number, seen: Map<SchemaIR, SchemaIR | undefined>): SchemaIR | undefined {
    if (node.kind === "any" || node.kind === "not") return { kind: "any", at: node.at };
    if (node.kind === "array") {
      const item = node.prefix[index] ?? node.items ?? ({ kind: "any", at: node.at } as const);
      return item.kind === "never" ? undefined : item;
    }
    const found = this.#partsOf(node).flatMap((part) => this.#findItem(part, index, seen) ?? []);
    return combine(isAlternative(node) ? "anyOf" : "allOf", found, node.at);
  }
}

function isAlternative({ kind }: SchemaIR): boolean {
  return kind === "anyOf" || kind === "oneOf" || kind === "if";
}

function mergeMembers(kind: "anyOf" | "allOf", all: readonly Members[], at: string): Members {
  const [only, ...others] = all;
  if (only === undefined) return NO_MEMBERS;
  if (others.length === 0) return only;
  const merged = new Map<string, Member[]>();
  for (const members of all)
    for (const [name, member] of members) {
      const known = merged.get(name);
      if (known === undefined) merged.set(name, [member]);
      else known.push(member);
    }
  return new Map(
    [...merged].map(([name, members]) => {
      const isRequired =
        kind === "allOf"
          ? members.some((member) => member.isRequired)
          : members.length === all.length && members.every((member) => member.isRequired);
      const schema = combine(
        kind,
        members.map((member) => member.schema),
        at,
      );
      return [name, { schema: schema ?? { kind: "any", at }, isRequired }];
    }),
  );
}

function combine(kind: "anyOf" | "allOf", schemas: readonly SchemaIR[], at: string): SchemaIR | undefined {
  const [first, ...others] = schemas;
  return first === undefined || others.length === 0 ? first : { kind, at, members: schemas };
}

/** Returns the input schema of a tool, for its flags. Throws `SCHEMA_INVALID` if the tool has none. */
export function readArgumentSchema({ name, inputSchema, dialect }: RegisteredTool): ArgumentSchema {
  const schema: unknown = inputSchema();
  if (isSubschema(schema)) return new ArgumentSchema(parseSchema(schema, { defaultDialect: dialect }));
  throw new McpCodegenError("SCHEMA_INVALID", `Tool ${JSON.stringify(name)} has no input schema.`);
}
