import { Ajv } from "ajv";
import Ajv04 from "ajv-draft-04";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { getOwn, isJsonObject, type JsonValue } from "../../src/core/json.js";
import type { Dialect } from "../../src/core/schema-ir.js";
import { printZodModule } from "../../src/schema/print/print-modules.js";
import { expected } from "../data/files.js";
import { type ListedTool, readToolLists, readWordPressTools } from "./support/data.js";
import { evaluateModule } from "./support/evaluate-module.js";
import { createRandom, generateInstance, mutateInstance } from "./support/instances.js";
import { runs, sample } from "../sample.js";

const OPTIONS = {
  strict: false,
  validateFormats: false,
  validateSchema: false,
  // One Ajv instance compiles all schemas, and many have the same `$id`.
  addUsedSchema: false,
  logger: false,
  // Each schema is compiled for only a few values.
  messages: false,
  code: { optimize: false },
} as const;
const SEED = Number(process.env["SEED"] ?? 2026);
/** The number of values for each schema. */
const ROUNDS = Number(process.env["ROUNDS"] ?? 6);

type Judge = (value: JsonValue) => boolean;
type Compiler = {
  compile(schema: object | boolean): (value: unknown) => unknown;
  removeSchema(schema: object | boolean): unknown;
};

const DRAFT_7 = new Ajv(OPTIONS);
const NEWEST = new Ajv2020(OPTIONS);
const DRAFT_4 = new Ajv04.default(OPTIONS);

/** Returns a validator of another implementation; undefined if it cannot compile the schema. */
function createJudge(schema: JsonValue): Judge | undefined {
  const dialect = isJsonObject(schema) ? getOwn(schema, "$schema") : undefined;
  const isDraft7 = typeof dialect === "string" && dialect.includes("draft-07");
  return compile(isDraft7 ? DRAFT_7 : NEWEST, schema);
}

/** The same for schemas of WordPress: draft 4 with a boolean `required` in properties. */
function createWordPressJudge(schema: JsonValue): Judge | undefined {
  return compile(DRAFT_4, toDraft4(schema));
}

function compile(ajv: Compiler, schema: JsonValue): Judge | undefined {
  try {
    const validate = ajv.compile(schema as object | boolean);
    if (isJsonObject(schema)) ajv.removeSchema(schema);
    return (value) => validate(value) === true;
  } catch {
    return undefined;
  }
}

/** Draft 4 has no boolean `required`, no boolean schemas and no `const`; PHP writes an empty object as `[]`. */
function toDraft4(schema: JsonValue): JsonValue {
  if (!isJsonObject(schema)) return schema === false ? { not: {} } : {};
  const { required, properties, items, additionalProperties, ...others } = schema;
  const rest = Object.fromEntries(Object.entries(others).filter(([keyword]) => keyword !== "const"));
  const named = isJsonObject(properties) ? Object.entries(properties) : [];
  const own = named.filter(([, one]) => isJsonObject(one) && one["required"] === true).map(([name]) => name);
  const names = [...new Set([...(Array.isArray(required) ? (required as readonly string[]) : []), ...own])];
  const lists = (["anyOf", "oneOf", "allOf"] as const).flatMap((keyword) => {
    const list = rest[keyword];
    return Array.isArray(list) ? [[keyword, (list as readonly JsonValue[]).map(toDraft4)] as const] : [];
  });
  return {
    ...rest,
    ...Object.fromEntries(lists),
    ...(named.length > 0 && {
      properties: Object.fromEntries(named.map(([name, one]) => [name, toDraft4(one)])),
    }),
    ...(names.length > 0 && { required: names }),
    ...(items !== undefined && { items: toDraft4(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === "boolean" ? additionalProperties : toDraft4(additionalProperties),
    }),
  };
}

interface Trial {
  readonly tools: readonly ListedTool[];
  readonly dialect?: Dialect;
  readonly createJudge: (schema: JsonValue) => Judge | undefined;
  /** Expected paths and messages of diagnostics. */
  readonly loosened: RegExp | undefined;
}

/** Returns where printed modules disagree with the other implementation, change a value, or break it with a default. */
function tryOut({ tools, dialect, createJudge: judgeOf, loosened }: Trial): {
  readonly wrong: readonly string[];
  /** Tools for which filling in defaults makes a valid input invalid. */
  readonly spoiled: readonly string[];
  readonly schemas: number;
  readonly unread: number;
  readonly judged: number;
  readonly valid: number;
} {
  const random = createRandom(SEED);
  const wrong: string[] = [];
  const spoiled = new Set<string>();
  let [schemas, unread, judged, valid] = [0, 0, 0, 0];
  for (const { label, input, output } of tools) {
    for (const side of ["input", "output"] as const) {
      const schema = side === "input" ? input : output;
      if (schema === undefined) continue;
      schemas += 1;
      const printed = printZodModule(schema, { name: "Printed", side, ...(dialect && { dialect }) });
      for (const { path, message } of printed.diagnostics)
        if (loosened?.test(path) !== true) wrong.push(`${label} ${side} ${path}: ${message}`);
      const zod = evaluateModule(printed.text, "Printed");
      const filling = side === "input" ? evaluateModule(printFilling(schema, dialect), "Printed") : undefined;
      const judge = judgeOf(schema);
      if (judge === undefined) unread += 1;
      for (let round = 0; judge !== undefined && round < ROUNDS; round += 1) {
        let value = generateInstance(schema, schema, random);
        for (let change = round % 3; change > 0; change -= 1) value = mutateInstance(value, random);
        const isValid = judge(value);
        const result = zod.safeParse(value);
        judged += 1;
        if (isValid) valid += 1;
        if (result.success !== isValid)
          wrong.push(`${label} ${side}: ${isValid ? "refused" : "accepted"} ${JSON.stringify(value)}`);
        if (result.success) expect(result.data, label).toEqual(value);
        if (filling === undefined || !isValid) continue;
        const filled = filling.safeParse(value);
        if (!filled.success || !judge(filled.data as JsonValue)) spoiled.add(label);
      }
    }
  }
  return { wrong, spoiled: [...spoiled], schemas, unread, judged, valid };
}

function printFilling(schema: JsonValue, dialect: Dialect | undefined): string {
  return printZodModule(schema, { name: "Printed", defaults: "parse", ...(dialect && { dialect }) }).text;
}

function expectAgreement(trial: Trial, schemas: number, unread: number): void {
  const result = tryOut(trial);
  expect(result.wrong.slice(0, 20)).toEqual([]);
  expect(result.spoiled).toEqual([]);
  expect(result.schemas).toBeGreaterThan(schemas);
  expect(result.unread).toBeLessThanOrEqual(unread);
  // Both valid and invalid values must occur, or the agreement proves nothing.
  expect(result.valid / result.judged).toBeGreaterThan(0.2);
  expect(result.valid / result.judged).toBeLessThan(0.8);
}

describe("the schemas of real tools", () => {
  it(`print to modules that agree with ajv (seed ${SEED})`, () => {
    const tools = sample(readToolLists(), 5);
    expectAgreement({ tools, createJudge, loosened: undefined }, runs(expected(40, 2_900), 7), 0);
  });
});

describe("the schemas of WordPress abilities", () => {
  const tools = sample(readWordPressTools(), 5);

  it(`agree with ajv when read as MCP requires (seed ${SEED})`, () => {
    // A boolean `required` has no meaning there, and is reported.
    expectAgreement(
      { tools, createJudge, loosened: /\/required$/ },
      runs(expected(7, 900), 7),
      expected(0, 14),
    );
  });

  it(`judge as ajv's draft 4 does when read as WordPress means them (seed ${SEED})`, () => {
    const judged = {
      tools,
      dialect: "wordpress",
      createJudge: createWordPressJudge,
      loosened: undefined,
    } as const;
    expectAgreement(judged, runs(expected(7, 900), 7), 0);
  });
});
