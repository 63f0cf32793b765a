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
  /** Only in the JSON Schema that Zod prints. */
  readonly const?: unknown;
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
