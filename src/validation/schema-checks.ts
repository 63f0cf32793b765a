import { type Check, report, reportMisfit, type Schema } from "./check.js";
import { withKeyRules, zodPart } from "./key-rules.js";

/** Requires that the value also fits this schema. */
export function fits(schema: Schema): Check {
  const check: Check = (payload) => {
    reportMisfit(payload, schema, payload.value, []);
  };
  return withKeyRules(check, { also: [zodPart(schema)] });
}

/** Requires that the value does not fit the schema. */
export function fitsNot(schema: Schema): Check {
  const check: Check = (payload) => {
    if (schema.safeParse(payload.value).success)
      report(payload, "Invalid input: fits a schema that it must not fit");
  };
  return withKeyRules(check, { maybe: [zodPart(schema)] });
}

/** Requires that the value fits `then` if it fits the condition, otherwise `else`. */
export function fitsIf(
  condition: Schema,
  branches: { readonly then?: Schema; readonly else?: Schema },
): Check {
  const check: Check = (payload) => {
    const branch = condition.safeParse(payload.value).success ? branches.then : branches.else;
    if (branch) reportMisfit(payload, branch, payload.value, []);
  };
  const schemas = [condition, branches.then, branches.else].filter((schema) => schema !== undefined);
  return withKeyRules(check, { maybe: schemas.map(zodPart) });
}

/**
 * Returns the result of a function. Generated code with `schemas: "open"` creates its Zod objects in such a function: a
 * bundler drops one unused call that is marked as pure, but would keep the many calls inside it.
 */
export function openSchema<T>(make: () => T): T {
  return make();
}
