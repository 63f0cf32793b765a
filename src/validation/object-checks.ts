import { type Check, isObject, keysOf, report, reportMisfit, type Schema } from "./check.js";
import { withKeyRules, zodPart } from "./key-rules.js";

/** Requires at least that many properties. */
export function minProperties(min: number): Check {
  return (payload) => {
    const { value } = payload;
    if (isObject(value) && keysOf(value).length < min)
      report(payload, `Too few properties: expected at least ${min}`);
  };
}

/** Requires at most that many properties. */
export function maxProperties(max: number): Check {
  const check: Check = (payload) => {
    const { value } = payload;
    if (isObject(value) && keysOf(value).length > max)
      report(payload, `Too many properties: expected at most ${max}`);
  };
  return withKeyRules(check, { constrainsAllKeys: true });
}

/** Requires that every property name fits the schema. */
export function propertyNames(schema: Schema): Check {
  const check: Check = (payload) => {
    const { value } = payload;
    if (!isObject(value)) return;
    for (const key of keysOf(value)) {
      if (!schema.safeParse(key).success) report(payload, "Invalid property name", [key]);
    }
  };
  return withKeyRules(check, { constrainsAllKeys: true });
}

/** Requires that every property whose name matches the pattern fits the schema. */
export function patternProperties(pattern: RegExp, schema: Schema): Check {
  const check: Check = (payload) => {
    const { value } = payload;
    if (!isObject(value)) return;
    for (const key of keysOf(value)) {
      if (pattern.test(key)) reportMisfit(payload, schema, value[key], [key]);
    }
  };
  return withKeyRules(check, {
    patterns: [{ matches: (key) => pattern.test(key), schema: zodPart(schema) }],
  });
}

/** Requires that every property that is neither named nor matched by a pattern fits the schema. */
export function otherProperties(
  schema: Schema,
  names: readonly string[] = [],
  ...patterns: readonly RegExp[]
): Check {
  const known = new Set(names);
  const check: Check = (payload) => {
    const { value } = payload;
    if (!isObject(value)) return;
    for (const key of keysOf(value)) {
      if (known.has(key) || patterns.some((pattern) => pattern.test(key))) continue;
      reportMisfit(payload, schema, value[key], [key]);
    }
  };
  return withKeyRules(check, {
    properties: new Map(names.map((name) => [name, undefined])),
    // The check of the pattern validates the values of these keys.
    patterns: patterns.map((pattern) => ({ matches: (key) => pattern.test(key), schema: zodPart({}) })),
    additional: zodPart(schema),
  });
}

/** Validates own properties, for names that every object inherits, such as `constructor`. */
export function ownProperties(
  ...properties: readonly (readonly [name: string, rule: "required" | "optional", schema: Schema])[]
): Check {
  const check: Check = (payload) => {
    const { value } = payload;
    if (!isObject(value)) return;
    const keys = new Set(keysOf(value));
    for (const [name, rule, schema] of properties) {
      if (keys.has(name)) reportMisfit(payload, schema, value[name], [name]);
      else if (rule === "required") report(payload, "Required property is missing", [name]);
    }
  };
  return withKeyRules(check, {
    properties: new Map(properties.map(([name, , schema]) => [name, zodPart(schema)])),
  });
}

/** Requires other properties if the object has the property `name`. */
export function dependentRequired(name: string, required: readonly string[]): Check {
  const check: Check = (payload) => {
    const { value } = payload;
    if (!isObject(value)) return;
    const keys = new Set(keysOf(value));
    if (!keys.has(name)) return;
    for (const other of required) {
      if (!keys.has(other)) report(payload, `Required together with "${name}"`, [other]);
    }
  };
  return withKeyRules(check, { properties: new Map([name, ...required].map((key) => [key, undefined])) });
}

/** Requires that the whole object fits the schema if it has the property `name`. */
export function dependentSchema(name: string, schema: Schema): Check {
  const check: Check = (payload) => {
    const { value } = payload;
    if (isObject(value) && keysOf(value).includes(name)) reportMisfit(payload, schema, value, []);
  };
  return withKeyRules(check, { properties: new Map([[name, undefined]]), maybe: [zodPart(schema)] });
}
