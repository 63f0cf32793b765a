import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { getOwn, isJsonObject, type JsonValue } from "../../src/contract/json.js";
import { printZodModule } from "../../src/schema/print-zod-module.js";
import { hasData, readToolLists, skipNote } from "./support/data.js";
import { evaluateModule } from "./support/evaluate-module.js";
import { createRandom, generateInstance, mutateInstance } from "./support/instances.js";

const OPTIONS = { strict: false, validateFormats: false, validateSchema: false, logger: false } as const;
const SEED = Number(process.env["SEED"] ?? 2026);
/** Values tried on each schema. More of them were tried when the printers were written. */
const ROUNDS = Number(process.env["ROUNDS"] ?? 6);

/** Another implementation's word on which values a schema accepts; undefined when it cannot read the schema. */
function createJudge(schema: JsonValue): ((value: JsonValue) => boolean) | undefined {
  const dialect = isJsonObject(schema) ? getOwn(schema, "$schema") : undefined;
  const isDraft7 = typeof dialect === "string" && dialect.includes("draft-07");
  try {
    const ajv = isDraft7 ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS);
    const validate = ajv.compile(schema as object | boolean);
    return (value) => validate(value);
  } catch {
    return undefined;
  }
}

describe.skipIf(!hasData)(`the schemas of real servers${skipNote}`, () => {
  const schemas = hasData
    ? readToolLists().flatMap(({ label, input, output }) => [
        { label: `${label} input`, schema: input, side: "input" } as const,
        ...(output === undefined
          ? []
          : [{ label: `${label} output`, schema: output, side: "output" } as const]),
      ])
    : [];

  it(`print to modules that judge as ajv does (seed ${SEED})`, { timeout: 300_000 }, () => {
    const random = createRandom(SEED);
    const wrong: string[] = [];
    let judged = 0;
    let valid = 0;
    let unread = 0;
    for (const { label, schema, side } of schemas) {
      const printed = printZodModule(schema, { name: "Printed", side });
      expect(printed.diagnostics, label).toEqual([]);
      const zod = evaluateModule(printed.text, "Printed");
      const judge = createJudge(schema);
      if (judge === undefined) unread += 1;
      for (let round = 0; judge !== undefined && round < ROUNDS; round += 1) {
        let value = generateInstance(schema, schema, random);
        for (let change = round % 3; change > 0; change -= 1) value = mutateInstance(value, random);
        const isValid = judge(value);
        const result = zod.safeParse(value);
        judged += 1;
        if (isValid) valid += 1;
        if (result.success !== isValid)
          wrong.push(`${label}: ${isValid ? "refused" : "accepted"} ${JSON.stringify(value)}`);
        if (result.success) expect(result.data, label).toEqual(value);
      }
    }
    expect(wrong.slice(0, 20)).toEqual([]);
    expect(schemas.length).toBeGreaterThan(2_900);
    expect(unread).toBeLessThan(20);
    // Both answers have to be tried, or the agreement means nothing.
    expect(valid / judged).toBeGreaterThan(0.2);
    expect(valid / judged).toBeLessThan(0.8);
  });
});
