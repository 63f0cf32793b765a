import { Ajv, type ErrorObject } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import draft04 from "ajv-draft-04";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.js";

export type Judge = (instance: JsonValue) => readonly ErrorObject[];

const OPTIONS = {
  allErrors: true,
  ownProperties: true,
  strict: false,
  validateSchema: false,
  validateFormats: false,
  addUsedSchema: false,
  logger: false,
} as const;

const AJVS = {
  "draft-04": new draft04.default(OPTIONS),
  "draft-07": new Ajv(OPTIONS),
  "2019-09": new Ajv2019(OPTIONS),
  "2020-12": new Ajv2020(OPTIONS),
};

const cache = new WeakMap<JsonObject, Judge | undefined>();

/** Ajv's errors about an instance, by the dialect that the schema declares. Undefined when Ajv cannot compile the schema. */
export function judgeBy(schema: JsonValue): Judge | undefined {
  if (!isJsonObject(schema)) return schema === true ? () => [] : undefined;
  if (!cache.has(schema)) cache.set(schema, compile(schema));
  return cache.get(schema);
}

/** Like `judgeBy`, for a schema that is used once. */
export function compile(schema: JsonObject): Judge | undefined {
  const ajv = AJVS[dialectOf(schema["$schema"])];
  const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => key !== "$schema"));
  try {
    const validate = ajv.compile(rest);
    ajv.removeSchema(rest);
    return (instance) => (validate(instance) ? [] : (validate.errors ?? []));
  } catch {
    return undefined;
  }
}

function dialectOf(declared: JsonValue | undefined): keyof typeof AJVS {
  if (typeof declared !== "string") return "2020-12";
  if (declared.includes("draft-04")) return "draft-04";
  if (/draft-0[67]/.test(declared)) return "draft-07";
  return declared.includes("2019-09") ? "2019-09" : "2020-12";
}
