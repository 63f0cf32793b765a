import type { DiagnosticCode } from "./diagnostic.js";
import type { JsonValue } from "./json.js";

/** Which JSON Schema a document is written in. `wordpress` is draft 4 with a boolean `required` on each property. */
export type Dialect = (typeof DIALECTS)[number];

export const DIALECTS = ["draft-04", "draft-06", "draft-07", "2019-09", "2020-12", "wordpress"] as const;

/** What becomes of `format` where a metaschema leaves it open: without a rule it is an annotation. */
export type FormatRule = "assert";

/** A schema as read: what it accepts, with the names, order and annotations it was written with. */
export interface ParsedSchema {
  readonly dialect: Dialect;
  readonly ir: SchemaIR;
  /** What references point at, by JSON Pointer, with the address of another document and the number of a scope before it. */
  readonly definitions: Definitions;
  /** The JSON Pointer of each subschema, which `at` of its node may lead beyond: to its only keyword. */
  readonly pointers: ReadonlyMap<SchemaIR, string>;
  /** The JSON Pointer of the target of each reference, by the pointer of the schema that contains the reference. */
  readonly targets: ReadonlyMap<string, string>;
  readonly diagnostics: readonly SchemaDiagnostic[];
}

export type Definitions = ReadonlyMap<string, SchemaIR>;

/** A diagnostic of one schema; `path` is a JSON Pointer into it. */
export interface SchemaDiagnostic {
  readonly code: DiagnosticCode;
  readonly path: string;
  readonly message: string;
}

/** The kinds of JSON value. An integer is a number with a rule. */
export type JsonType = "null" | "boolean" | "number" | "string" | "array" | "object";

/**
 * One schema. The typed kinds (`null` to `object`) accept values of one JSON type alone; `types` is one of each of
 * several; the others combine schemas. A schema with several keywords is an `allOf` of what they say.
 */
export type SchemaIR =
  | PlainNode<"any">
  | PlainNode<"never">
  | TypedNode
  | LiteralNode
  | TypesNode
  | AnyOfNode
  | OneOfNode
  | AllOfNode
  | NotNode
  | IfNode
  | RefNode
  | UnevaluatedNode
  | InterpretedNode;

export type TypedNode =
  | PlainNode<"null">
  | PlainNode<"boolean">
  | NumberNode
  | StringNode
  | ArrayNode
  | ObjectNode;

interface Node {
  /** JSON Pointer (RFC 6901) into the raw schema; into another document, after its address and `#`. */
  readonly at: string;
  readonly annotations?: Annotations | undefined;
}

/** The texts of a schema for people and models. They accept and reject nothing. */
export interface Annotations {
  readonly title?: string;
  readonly description?: string;
  readonly default?: JsonValue;
  readonly examples?: readonly JsonValue[];
  readonly deprecated?: boolean;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
}

interface PlainNode<Kind> extends Node {
  readonly kind: Kind;
}

export interface NumberNode extends Node {
  readonly kind: "number";
  readonly isInteger: boolean;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMinimum?: number | undefined;
  readonly exclusiveMaximum?: number | undefined;
  readonly multipleOf?: number | undefined;
}

export interface StringNode extends Node {
  readonly kind: "string";
  /** In code points. */
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly pattern?: string | undefined;
  /** An annotation, whatever the dialect, unless it is asserted. */
  readonly format?: string | undefined;
  /** The same where values must have it: because it was asked for, or because the metaschema says so. */
  readonly assertedFormat?: string | undefined;
}

export interface ArrayNode extends Node {
  readonly kind: "array";
  /** What the first items must be, place by place. */
  readonly prefix: readonly SchemaIR[];
  /** What the items after the prefix must be; absent when not written. */
  readonly items?: SchemaIR | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly uniqueItems: boolean;
  readonly contains?: Contains | undefined;
}

export interface Contains {
  readonly schema: SchemaIR;
  readonly min: number;
  readonly max?: number | undefined;
  /** Whether items that fit count as evaluated. */
  readonly isEvaluated: boolean;
}

export interface ObjectNode extends Node {
  readonly kind: "object";
  /** In the order written; then those that `required` alone names. */
  readonly properties: readonly Property[];
  /** The names that are required, in the order written. */
  readonly required: readonly string[];
  readonly patterns: readonly PatternProperties[];
  /** What properties neither named nor matched must be; absent when not written. */
  readonly additional?: SchemaIR | undefined;
  readonly names?: SchemaIR | undefined;
  readonly minProperties?: number | undefined;
  readonly maxProperties?: number | undefined;
  readonly dependents: readonly Dependent[];
}

export interface Property {
  readonly name: string;
  readonly isRequired: boolean;
  /** False when `required` alone names it: `schema` is then of kind `any`, and `patterns` and `additional` judge it. */
  readonly isDeclared: boolean;
  readonly schema: SchemaIR;
}

interface PatternProperties {
  readonly pattern: string;
  readonly schema: SchemaIR;
}

/** What must hold of the whole object when it has property `name`. */
export interface Dependent {
  readonly name: string;
  readonly required: readonly string[];
  readonly schema?: SchemaIR | undefined;
}

/** Any of some values: `enum`, or `const` when there is one. */
export interface LiteralNode extends Node {
  readonly kind: "literal";
  readonly values: readonly JsonValue[];
}

/** At most one member for each JSON type. */
export interface TypesNode extends Node {
  readonly kind: "types";
  readonly members: readonly TypedNode[];
}

interface CombinedNode<Kind> extends PlainNode<Kind> {
  readonly members: readonly SchemaIR[];
}

export type AnyOfNode = CombinedNode<"anyOf">;
export type OneOfNode = CombinedNode<"oneOf">;
export type AllOfNode = CombinedNode<"allOf">;

export interface NotNode extends Node {
  readonly kind: "not";
  readonly schema: SchemaIR;
}

/** With neither branch it judges nothing, and what the condition evaluates is evaluated all the same. */
export interface IfNode extends Node {
  readonly kind: "if";
  readonly if: SchemaIR;
  readonly then?: SchemaIR | undefined;
  readonly else?: SchemaIR | undefined;
}

/** `target` is a key of the definitions. */
export interface RefNode extends Node {
  readonly kind: "ref";
  readonly target: string;
}

/** `schema`, and rules for the properties and items that it says nothing about. */
export interface UnevaluatedNode extends Node {
  readonly kind: "unevaluated";
  readonly schema: SchemaIR;
  readonly properties?: SchemaIR | undefined;
  readonly items?: SchemaIR | undefined;
}

/** A schema that would not read well as code: `schema` is printed and accepts more than `rule`, which is interpreted. */
interface InterpretedNode extends Node {
  readonly kind: "interpreted";
  readonly schema: SchemaIR;
  readonly rule: SchemaIR;
}
