import type { JsonSchema } from "./json-schema.js";

/**
 * The rules of a schema for the keys and items of a value, without all other rules. They decide which keys of an answer
 * are unknown.
 */
export interface KeyRules {
  /** Other schemas that the same value must fit. */
  readonly also?: readonly SchemaPart[];
  /** Schemas that the same value need not fit, such as a condition. Their keys are known too. */
  readonly maybe?: readonly SchemaPart[];
  /** Lists of alternatives for the same value. */
  readonly unions?: readonly (readonly SchemaPart[])[];
  /** The named keys; `undefined` for a key that is named without a schema of its own. */
  readonly properties?: ReadonlyMap<string, SchemaPart | undefined>;
  readonly patterns?: readonly KeyPattern[];
  /** The schema of all other keys. */
  readonly additional?: SchemaPart;
  /** Whether a rule covers all keys together, such as `maxProperties`: an additional key may then violate it. */
  readonly constrainsAllKeys?: boolean;
  readonly prefix?: readonly SchemaPart[];
  /** The items after the prefix. */
  readonly items?: SchemaPart;
  /** Schemas that any item may fit: `contains`. */
  readonly anyItem?: readonly SchemaPart[];
  /** The allowed values, if the schema lists them. */
  readonly values?: readonly unknown[];
  /** Present for a schema that accepts everything or nothing. */
  readonly accepts?: "anything" | "nothing";
}

interface KeyPattern {
  readonly matches: (key: string) => boolean;
  readonly schema: SchemaPart;
}

/** A schema inside another one: a Zod schema, or a JSON Schema with the definitions of its root. */
export type SchemaPart =
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
export function zodPart(schema: object): SchemaPart {
  return { kind: "zod", schema };
}
