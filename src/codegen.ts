/**
 * The checks that generated code imports: what JSON Schema has and Zod lacks, for `.check()` and `z.custom()`. None of it
 * imports Zod. Names are only added here, so that code which an older version generated keeps running.
 */
export { contains, maxItems, minItems, uniqueItems } from "./validation/array-checks.js";
export { isObject } from "./validation/check.js";
export { equals } from "./contract/json-equals.js";
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
export { fits, fitsIf, fitsNot } from "./validation/schema-checks.js";
export { openSchema } from "./validation/open-schema.js";
