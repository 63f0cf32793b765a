import { createContext, Script } from "node:vm";
import { getOwn, isJsonObject, type JsonValue } from "../core/json.js";
import { findAt, joinPointer } from "../core/json-pointer.js";
import { parseSchema } from "../schema/ir/parse-schema.js";
import { printJsonSchema } from "../schema/print/print-json-schema.js";
import { fitsJsonSchema } from "../schema/validation/fits-json-schema.js";

/** A limit, since a server's pattern may take very long. */
const LONGEST_MS = 500;

/** Whether the subschema at a pointer accepts a value; undefined when that is unknown. */
export function judgeValue(
  schema: JsonValue | undefined,
  segments: readonly string[],
  value: JsonValue,
): boolean | undefined {
  const part = schema === undefined ? undefined : partAt(schema, segments);
  if (part === undefined) return undefined;
  try {
    const { ir, definitions } = parseSchema(part);
    const check = fitsJsonSchema(printJsonSchema(ir, definitions) as Parameters<typeof fitsJsonSchema>[0]);
    const issues: unknown[] = [];
    const judge = (): void => {
      check({ value, issues });
    };
    new Script("judge()").runInContext(createContext({ judge }), { timeout: LONGEST_MS });
    return issues.length === 0;
  } catch {
    // The schema is invalid, or validation timed out.
    return undefined;
  }
}

/** The subschema, with the definitions that it may refer to. */
function partAt(schema: JsonValue, segments: readonly string[]): JsonValue | undefined {
  const part = findAt(schema, joinPointer("", ...segments));
  if (!isJsonObject(part) || !isJsonObject(schema)) return part;
  const shared = ["$schema", "$defs", "definitions"].flatMap((key) => {
    const value = getOwn(schema, key);
    return value === undefined ? [] : [[key, value] as const];
  });
  return { ...Object.fromEntries(shared), ...part };
}
