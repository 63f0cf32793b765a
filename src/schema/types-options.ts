import type { OptionRules } from "../contract/check-options.js";
import { DIALECTS, type Dialect } from "../contract/schema-ir.js";
import type { Side } from "./print-context.js";
import type { SchemaDocuments } from "./resolve-ref.js";

/** Options of a printed module. */
export interface TypesOptions {
  readonly name: string;
  /** The dialect of the schema. Default: the dialect that it declares, or 2020-12. */
  readonly dialect?: Dialect;
  readonly side?: Side;
  /** Other schemas that references may lead to, by address. Nothing is fetched. */
  readonly documents?: SchemaDocuments;
}

export const TYPES_OPTIONS: OptionRules<TypesOptions> = {
  name: "any",
  dialect: DIALECTS,
  side: ["input", "output"],
  documents: "any",
};
