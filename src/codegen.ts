/**
 * The checks that generated code imports: features of JSON Schema that Zod lacks, for `.check()` and `z.custom()`. None
 * imports Zod. Never remove a name: code that an older version generated imports it.
 */
export { contains, maxItems, minItems, uniqueItems } from "./validation/array-checks.js";
export { isObject } from "./validation/check.js";
export { equals } from "./contract/json.js";
export { fitsJsonSchema } from "./validation/fits-json-schema.js";
export { format } from "./validation/format.js";
export type { JsonSchema, JsonSchemaObject, JsonTypeName } from "./validation/json-schema.js";
export { integer, multipleOf } from "./validation/number-checks.js";
export {
  dependentRequired,
  dependentSchema,
  maxProperties,
  minProperties,
  otherProperties,
  ownProperties,
  patternProperties,
  propertyNames,
} from "./validation/object-checks.js";
export { fits, fitsIf, fitsNot, openSchema } from "./validation/schema-checks.js";
