import type { JsonSchema } from "./json-schema.js";

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
