import type { RegisteredTool } from "../../../../agent/registry/registered-tool.js";
import { groupBy } from "../../../../core/collections.js";
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
  /** Returns the accepted types and values. A recursive reference adds no restriction. */
  readonly accepted: (node: SchemaIR) => Accepted = memoize(ANYTHING, (node) => this.#readAccepted(node));
  /** Returns the properties that a schema declares, in the schema's order. */
  readonly members: (node: SchemaIR) => Members = memoize(NO_MEMBERS, (node) => this.#readMembers(node));

  constructor({ ir, definitions }: Pick<ParsedSchema, "ir" | "definitions">) {
    this.root = ir;
    this.#definitions = definitions;
  }

  /** Returns the schema of a property; undefined if it is not declared and the schema allows no other properties. */
  property(node: SchemaIR, name: string): SchemaIR | undefined {
    const member = this.members(node).get(name);
    if (member !== undefined) return member.schema;
    const find = memoize<Undeclared>(undefined, (part, self) => this.#readUndeclared(part, name, self));
    const undeclared = find(node);
    return undeclared?.kind === "free" ? { kind: "any", at: node.at } : undeclared?.schema;
  }

  /** Returns the schema of an array item; undefined if there can be no such item. */
  item(node: SchemaIR, index: number): SchemaIR | undefined {
    return memoize<SchemaIR | undefined>(undefined, (part, self) => this.#readItem(part, index, self))(node);
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

  #partsOf(node: SchemaIR): readonly SchemaIR[] {
    if ("members" in node) return node.members;
    if (node.kind === "if") return [node.if, node.then, node.else].filter((part) => part !== undefined);
    if (node.kind === "unevaluated" || node.kind === "interpreted") return [node.schema];
    const target = node.kind === "ref" ? this.#definitions.get(node.target) : undefined;
    return target === undefined ? [] : [target];
  }

  #readUndeclared(node: SchemaIR, name: string, find: (node: SchemaIR) => Undeclared): Undeclared {
    if (node.kind === "object") return this.#findUndeclaredIn(node, name);
    if (node.kind === "any" || node.kind === "not" || node.kind === "literal") return { kind: "free" };
    if (node.kind === "unevaluated" && node.properties !== undefined && node.properties.kind !== "never")
      return { kind: "ruled", schema: node.properties };
    const found = this.#partsOf(node).map(find);
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
    const schemas = fitting.map(({ schema }) => schema);
    return combine("allOf", schemas, at) ?? additional;
  }

  #readItem(
    node: SchemaIR,
    index: number,
    find: (node: SchemaIR) => SchemaIR | undefined,
  ): SchemaIR | undefined {
    if (node.kind === "any" || node.kind === "not") return { kind: "any", at: node.at };
    if (node.kind === "array") {
      const item = node.prefix[index] ?? node.items ?? ({ kind: "any", at: node.at } as const);
      return item.kind === "never" ? undefined : item;
    }
    const found = this.#partsOf(node).flatMap((part) => find(part) ?? []);
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
  const merged = groupBy(
    all.flatMap((members) => [...members]),
    ([name]) => name,
  );
  return new Map(
    Array.from(merged, ([name, entries]) => {
      const members = entries.map(([, member]) => member);
      const required = members.filter(({ isRequired }) => isRequired).length;
      const isRequired = kind === "allOf" ? required > 0 : required === all.length;
      const schemas = members.map(({ schema }) => schema);
      return [name, { schema: combine(kind, schemas, at) ?? { kind: "any", at }, isRequired }];
    }),
  );
}

/** Remembers what is read of each schema. Inside its own reading, a schema has `start`. */
function memoize<T>(
  start: T,
  read: (node: SchemaIR, self: (node: SchemaIR) => T) => T,
): (node: SchemaIR) => T {
  const known = new Map<SchemaIR, { value: T }>();
  const self = (node: SchemaIR): T => {
    const found = known.get(node);
    if (found !== undefined) return found.value;
    const entry = { value: start };
    known.set(node, entry);
    entry.value = read(node, self);
    return entry.value;
  };
  return self;
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
