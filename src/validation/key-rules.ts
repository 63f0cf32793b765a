import type { JsonSchema } from "./json-schema.js";

/**
 * What a schema says about the keys and items of a value, whatever else it asks for. It decides which keys of an answer
 * are unknown.
 */
export interface KeyRules {
  /** Other schemas that the same value has to fit. */
  readonly also?: readonly SchemaPart[];
  /** Schemas that the same value may fit or not, such as a condition. They know keys as well. */
  readonly maybe?: readonly SchemaPart[];
  /** Lists of alternatives for the same value. */
  readonly unions?: readonly (readonly SchemaPart[])[];
  /** The named keys; `undefined` for a key that is named without a schema of its own. */
  readonly properties?: ReadonlyMap<string, SchemaPart | undefined>;
  readonly patterns?: readonly KeyPattern[];
  /** What all other keys have to be. */
  readonly additional?: SchemaPart;
  /** Whether a rule judges all keys together, such as `maxProperties`: then another key may break it. */
  readonly judgesAllKeys?: boolean;
  readonly prefix?: readonly SchemaPart[];
  /** The items after the prefix. */
  readonly items?: SchemaPart;
  /** Schemas that any item may fit: `contains`. */
  readonly anyItem?: readonly SchemaPart[];
  /** The values that are allowed, where the schema lists them. */
  readonly values?: readonly unknown[];
  /** Set for the schemas that accept everything, and for those that accept nothing. */
  readonly accepts?: "anything" | "nothing";
}

export interface KeyPattern {
  readonly matches: (key: string) => boolean;
  readonly schema: SchemaPart;
}

/** A schema inside another one: of Zod, or JSON Schema with the definitions of its root. */
export type SchemaPart =
  | { readonly kind: "zod"; readonly schema: object }
  | {
      readonly kind: "json";
      readonly schema: JsonSchema;
      readonly definitions: { readonly [name: string]: JsonSchema };
    };

/** Something that says which keys it knows: a check, or a schema of ours. */
export interface WithKeyRules {
  readonly keyRules: KeyRules;
}

/** A check that says which keys it knows. */
export function withKeyRules<C extends object>(check: C, keyRules: KeyRules): C & WithKeyRules {
  return Object.assign(check, { keyRules });
}

/** A Zod schema as a part of another one. */
export function zodPart(schema: object): SchemaPart {
  return { kind: "zod", schema };
}
