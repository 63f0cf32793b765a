import { compilesPattern } from "../../core/json.js";

/**
 * The part of JSON Schema 2020-12 that generated code contains where Zod has no equivalent. It has no annotations and no
 * `$id`; each `$ref` is `#/$defs/<name>` of the outermost schema.
 */
export type JsonSchema = boolean | JsonSchemaObject;

export interface JsonSchemaObject {
  readonly $defs?: { readonly [name: string]: JsonSchema };
  readonly $ref?: string;
  readonly type?: JsonTypeName | readonly JsonTypeName[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly prefixItems?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly contains?: JsonSchema;
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly unevaluatedItems?: JsonSchema;
  readonly properties?: { readonly [name: string]: JsonSchema };
  readonly required?: readonly string[];
  readonly patternProperties?: { readonly [pattern: string]: JsonSchema };
  readonly additionalProperties?: JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly dependentRequired?: { readonly [name: string]: readonly string[] };
  readonly dependentSchemas?: { readonly [name: string]: JsonSchema };
  readonly unevaluatedProperties?: JsonSchema;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly if?: JsonSchema;
  readonly then?: JsonSchema;
  readonly else?: JsonSchema;
}

export type JsonTypeName = "null" | "boolean" | "number" | "integer" | "string" | "array" | "object";

/** Compiles a pattern with the flag `u`, as JSON Schema requires, or without it if the pattern is invalid with it. */
export function compileRegex(pattern: string): RegExp {
  return new RegExp(pattern, compilesPattern(pattern, "u") ? "u" : "");
}

/**
 * The rules of a schema for the keys and items of a value, without all other rules. They decide which keys of an answer
 * are unknown.
 */
export interface KeyRules {
  /** Other schemas that the same value must fit. */
  readonly also?: readonly KeyPart[] | undefined;
  /** Schemas that the same value need not fit, such as a condition. Their keys are known too. */
  readonly maybe?: readonly KeyPart[] | undefined;
  /** Lists of alternatives for the same value. */
  readonly unions?: readonly (readonly KeyPart[])[] | undefined;
  /** The named keys; `undefined` for a key that is named without a schema of its own. */
  readonly properties?: ReadonlyMap<string, KeyPart | undefined> | undefined;
  readonly patterns?: readonly KeyPattern[] | undefined;
  /** The schema of all other keys. */
  readonly additional?: KeyPart | undefined;
  /** Whether a rule covers all keys together, such as `maxProperties`: an additional key may then violate it. */
  readonly constrainsAllKeys?: boolean | undefined;
  readonly prefix?: readonly KeyPart[] | undefined;
  /** The items after the prefix. */
  readonly items?: KeyPart | undefined;
  /** Schemas that any item may fit: `contains`. */
  readonly anyItem?: readonly KeyPart[] | undefined;
  /** The allowed values, if the schema lists them. */
  readonly values?: readonly unknown[] | undefined;
  /** Present for a schema that accepts everything or nothing. */
  readonly accepts?: "anything" | "nothing" | undefined;
}

interface KeyPattern {
  readonly matches: (key: string) => boolean;
  readonly schema: KeyPart;
}

/** A schema inside another one: a Zod schema, or a JSON Schema with the definitions of its root. */
export type KeyPart =
  | { readonly kind: "zod"; readonly schema: object }
  | {
      readonly kind: "json";
      readonly schema: JsonSchema;
      readonly definitions: { readonly [name: string]: JsonSchema };
    };

/** A check or schema with the rules for its keys. */
export interface WithKeyRules {
  readonly keyRules: KeyRules;
}

/** Adds key rules to a check. Changes and returns the check. */
export function withKeyRules<C extends object>(check: C, keyRules: KeyRules): C & WithKeyRules {
  return Object.assign(check, { keyRules });
}

/** A Zod schema as a part of another one. */
export function zodPart(schema: object): KeyPart {
  return { kind: "zod", schema };
}
