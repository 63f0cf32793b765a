import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import draft04 from "ajv-draft-04";
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "../../../src/core/json.js";

// Without `ownProperties`, every object has a property named `__proto__` for Ajv.
const OPTIONS = {
  ownProperties: true,
  strict: false,
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
export type TestedDialect = keyof typeof AJVS;

/** Returns whether one schema accepts an instance and the other rejects it. Shares no code with the program. */
export function compilePair(
  accepts: JsonValue,
  rejects: JsonValue,
  dialect: TestedDialect = "2020-12",
): (instance: JsonValue) => boolean {
  const [yes, no] = [accepts, rejects].map((schema) =>
    AJVS[dialect].compile(withoutProto(schema) as boolean | JsonObject),
  );
  return (instance) => {
    const given = withoutProto(instance);
    return yes?.(given) === true && no?.(given) === false;
  };
}

/** Renames `__proto__`, because Ajv ignores a property of that name. */
function withoutProto(value: JsonValue): JsonValue {
  return JSON.parse(JSON.stringify(value).replaceAll("__proto__", "__other__")) as JsonValue;
}

/** Returns every copy with one property, one item or one character less; a value whose text is listed stays whole. */
export function removals(value: JsonValue, listed: ReadonlySet<string> = new Set()): readonly JsonValue[] {
  if (listed.has(canonicalJson(value))) return [];
  if (typeof value === "string") {
    const characters = Array.from(value);
    return characters.map((_, index) => characters.filter((_character, at) => at !== index).join(""));
  }
  if (Array.isArray(value)) {
    const list: readonly JsonValue[] = value;
    return list.flatMap((item, index) => [
      list.filter((_, at) => at !== index),
      ...removals(item, listed).map((smaller) => list.map((other, at) => (at === index ? smaller : other))),
    ]);
  }
  if (!isJsonObject(value)) return [];
  const entries = Object.entries(value);
  return entries.flatMap(([key, item]) => [
    Object.fromEntries(entries.filter(([other]) => other !== key)),
    ...removals(item, listed).map((smaller) =>
      Object.fromEntries(entries.map(([other, kept]) => [other, other === key ? smaller : kept])),
    ),
  ]);
}
