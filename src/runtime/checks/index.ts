// What JSON Schema has and Zod lacks, for `.check()` and `z.custom()` in generated code. None of it imports Zod.
export { contains, maxItems, minItems, uniqueItems } from "./array-checks.js";
export { isObject } from "./check.js";
export { equals } from "./equals.js";
export { fitsJsonSchema } from "./fits-json-schema.js";
export { format } from "./format.js";
export type { JsonSchema, JsonSchemaObject, JsonTypeName } from "./json-schema.js";
export { integer, multipleOf } from "./number-checks.js";
export {
  dependentRequired,
  dependentSchema,
  maxProperties,
  minProperties,
  otherProperties,
  ownProperties,
  patternProperties,
  propertyNames,
} from "./object-checks.js";
export { fits, fitsIf, fitsNot } from "./schema-checks.js";
