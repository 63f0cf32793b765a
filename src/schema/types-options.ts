import type { OptionRules } from "../contract/check-options.js";
import { DIALECTS, type Dialect } from "../contract/schema-ir.js";
import type { Side } from "./print-context.js";
import type { SchemaDocuments } from "./resolve-ref.js";

/** How a schema is printed as types. */
export interface TypesOptions {
  readonly name: string;
  /** Of a schema that declares none; 2020-12 by default. */
  readonly dialect?: Dialect;
  readonly side?: Side;
  /** What references may lead to outside the schema, by address. Nothing is fetched. */
  readonly documents?: SchemaDocuments;
}

export const TYPES_OPTIONS: OptionRules<TypesOptions> = {
  name: "any",
  dialect: DIALECTS,
  side: ["input", "output"],
  documents: "any",
};
