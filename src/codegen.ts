/**
 * The imports of generated modules: the makers of tools, prompts, resources and connections, `schema`, and checks for `.check()`
 * and `z.custom()`, for features of JSON Schema that Zod lacks. All in one entry, since Node looks up a package again for each
 * module that imports it. Never remove a name, since code that an older version generated imports it.
 */
import * as z from "zod";

export {
  contains,
  dependentRequired,
  dependentSchema,
  fits,
  fitsIf,
  fitsNot,
  integer,
  maxItems,
  maxProperties,
  minItems,
  minProperties,
  multipleOf,
  object,
  otherProperties,
  ownProperties,
  patternProperties,
  propertyNames,
  uniqueItems,
} from "./schema/validation/checks.js";
export { equals, isJsonObject as isObject } from "./core/json.js";
export { fitsJsonSchema } from "./schema/validation/fits-json-schema.js";
export { format } from "./schema/validation/format.js";
export { throughAbility, type Wrapped } from "./runtime/abilities.js";
export type { RecordedCallsOf } from "./runtime/call-recorder.js";
export { definePrompt, defineResource, defineResourceTemplate } from "./runtime/define-entry.js";
export { connectTools, defineTool, type ToolsOf } from "./runtime/define-tool.js";
export type {
  EntryArgument,
  PromptDefinition,
  RequestParameters,
  ResourceDefinition,
  ResourceTemplateDefinition,
} from "./runtime/server-entry.js";
export type { ToolContent } from "./core/call.js";
export type { CallAdapter, Tool, ToolDefinition, ToolMembers } from "./core/tool.js";
export type { JsonSchema, JsonSchemaObject, JsonTypeName } from "./schema/validation/json-schema.js";

/** A Zod schema of a generated interface. */
export type Schema<T> = z.ZodType<T, T>;

/**
 * Returns a schema that is made when it is first used. A bundler drops an unused call that is marked as pure.
 *
 * TypeScript does not compare the made schema with `T`, which would take most of the time of a type check. The generator
 * prints both from one definition, and its tests compare them.
 */
export function schema<T>(make: () => z.ZodType): Schema<T>;
export function schema(make: () => z.ZodType): z.ZodType {
  return z.lazy(make);
}

/**
 * Returns the result of a function, at once. Generated code with `schemas: "open"` makes its Zod objects in such functions, since
 * a bundler would keep the many calls inside. TypeScript compares no types, as with {@link schema}.
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the annotation of a schema determines it
export function openSchema<T extends z.ZodType>(make: () => z.ZodType): T;
export function openSchema(make: () => z.ZodType): z.ZodType {
  return make();
}
