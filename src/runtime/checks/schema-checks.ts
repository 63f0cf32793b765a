import { type Check, report, reportMisfit, type Schema } from "./check.js";

/** The value fits this schema as well. */
export function fits(schema: Schema): Check {
  return (payload) => {
    reportMisfit(payload, schema, payload.value, []);
  };
}

/** The value does not fit the schema. */
export function fitsNot(schema: Schema): Check {
  return (payload) => {
    if (schema.safeParse(payload.value).success)
      report(payload, "Invalid input: fits a schema that it must not fit");
  };
}

/** The value fits `then` if it fits the condition, and `else` if it does not. */
export function fitsIf(
  condition: Schema,
  branches: { readonly then?: Schema; readonly else?: Schema },
): Check {
  return (payload) => {
    const branch = condition.safeParse(payload.value).success ? branches.then : branches.else;
    if (branch) reportMisfit(payload, branch, payload.value, []);
  };
}
