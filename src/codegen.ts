/**
 * The checks that generated code imports: features of JSON Schema that Zod lacks, for `.check()` and `z.custom()`. They do not
 * import Zod. Never remove a name, since code that an older version generated imports it.
 */
export {
  contains,
  dependentRequired,
  dependentSchema,
  fits,
  fitsIf,
  fitsNot,
  integer,
  isObject,
  maxItems,
  maxProperties,
  minItems,
  minProperties,
  multipleOf,
  openSchema,
  otherProperties,
  ownProperties,
  patternProperties,
  propertyNames,
  uniqueItems,
} from "./schema/validation/checks.js";
export { equals } from "./core/json.js";
export { fitsJsonSchema } from "./schema/validation/fits-json-schema.js";
export { format } from "./schema/validation/format.js";
export type { JsonSchema, JsonSchemaObject, JsonTypeName } from "./schema/validation/json-schema.js";
