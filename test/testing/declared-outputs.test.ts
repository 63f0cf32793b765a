import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import type { Ajv } from "ajv";
import type { FormatsPlugin } from "ajv-formats";
import { describe, expect, it } from "vitest";
import { readLiveSchema } from "../../src/schema/interpret/live-schema.js";
import {
  canonicalJson,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../../src/core/json.js";
import { generateValue } from "../../src/testing/make-value.js";
import { dataFiles, expected, SHARED } from "../data/files.js";

const require = createRequire(import.meta.url);
const Ajv2020 = (require("ajv/dist/2020.js") as { default: typeof Ajv }).default;
const Ajv07 = (require("ajv") as { default: typeof Ajv }).default;
const Ajv04 = (require("ajv-draft-04") as { default: typeof Ajv }).default;
const addFormats = require("ajv-formats") as FormatsPlugin;

interface Declared {
  readonly name: string;
  readonly dialect: "wordpress" | undefined;
  readonly schema: JsonObject;
}

/** Every declared output in a value, at any depth. */
function findOutputs(value: JsonValue, file: string): readonly Declared[] {
  if (isJsonArray(value)) return value.flatMap((item) => findOutputs(item, file));
  if (!isJsonObject(value)) return [];
  const schema = getOwn(value, "outputSchema");
  const dialect: Declared["dialect"] = file.includes("wordpress") ? "wordpress" : undefined;
  const own = isJsonObject(schema)
    ? [{ name: `${basename(file)} ${JSON.stringify(getOwn(value, "name"))}`, schema, dialect }]
    : [];
  return [...own, ...Object.values(value).flatMap((item) => findOutputs(item, file))];
}

function filesBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".json"))
    .map((file) => join(folder, file));
}

const files = [...dataFiles("tool-lists"), ...dataFiles("tool-changes"), ...filesBelow(`${SHARED}wordpress`)];
/** Each different schema once. */
const declared: readonly Declared[] = [
  ...new Map(
    files
      .flatMap((file) => findOutputs(JSON.parse(readFileSync(file, "utf8")) as JsonValue, file))
      .map((one) => [canonicalJson(one.schema), one]),
  ).values(),
];

/** The calls of each tool; `CALLS=19` makes 10,000 of the lists beside the project. */
const CALLS = Number(process.env["CALLS"] ?? 2);

describe("declared outputs", () => {
  it("are found in the lists", () => {
    expect(declared.length).toBeGreaterThanOrEqual(expected(10, 397));
  });

  it.each([false, true])("get values that Ajv accepts, with boundary %s", async (boundary) => {
    const options = { strict: false, allErrors: true, logger: false, validateSchema: false } as const;
    const refused: string[] = [];
    let calls = 0;
    let spent = 0;
    for (const { name, schema, dialect } of declared) {
      const isOld = JSON.stringify(schema["$schema"] ?? "").includes("draft-07");
      const ajv = addFormats(new (dialect !== undefined ? Ajv04 : isOld ? Ajv07 : Ajv2020)(options));
      const validate = ajv.compile(schema);
      const judge = readLiveSchema(schema, { dialect, formats: "assert" });
      for (let call = 0; call < CALLS; call += 1) {
        calls += 1;
        const start = performance.now();
        const value = await generateValue(schema, judge, { seed: `${call}`, boundary, dialect }).catch(
          String,
        );
        spent += performance.now() - start;
        if (!validate(value))
          refused.push(`${name}: ${ajv.errorsText(validate.errors)}: ${JSON.stringify(value)}`.slice(0, 600));
      }
    }
    if (process.env["CALLS"] !== undefined)
      console.log(`${calls} calls of ${declared.length} tools: ${(spent / calls).toFixed(3)} ms each`);
    expect(refused).toEqual([]);
  });
});
