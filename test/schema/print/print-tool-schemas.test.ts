import { format } from "prettier";
import { describe, expect, it } from "vitest";
import { printToolSchemas, printZodModule } from "../../../src/schema/print/print-modules.js";
import { printTypes } from "../../../src/schema/print/print-types.js";
import type { JsonValue } from "../../../src/core/json.js";
import type { SchemaIR } from "../../../src/core/schema-ir.js";
import { childrenOf } from "../../../src/schema/ir/subschemas.js";
import { planSchema, type SchemaPlan } from "../../../src/schema/print/plan-module.js";

const pretty = (text: string): Promise<string> => format(text, { parser: "typescript", printWidth: 110 });

describe("printToolSchemas", () => {
  it("prints an interface and a lazy schema with the same name", async () => {
    const number = (description: string): object => ({ type: "number", description });
    const schema = {
      type: "object",
      properties: { a: number("First number"), b: number("Second number"), note: { type: "string" } },
      required: ["a", "b"],
    } as never;
    const printed = printToolSchemas({ input: { schema, name: "GetSumInput" }, taken: ["getSum"] });
    expect(printed).toMatchObject({ checks: ["schema", "type Schema"], diagnostics: [] });
    expect(await pretty(printed.text)).toBe(`export interface GetSumInput {
  /** First number */
  a: number;
  /** Second number */
  b: number;
  note?: string | undefined;
}

export const GetSumInput: Schema<GetSumInput> = /* @__PURE__ */ schema(() =>
  z.looseObject({ a: z.number(), b: z.number(), note: z.string().optional() }),
);
`);
  });

  it("names recursive definitions, and prints exact optional outputs", async () => {
    const of = { $ref: "#/$defs/branch" };
    const properties = { label: { type: "string" }, branches: { type: "array", items: of } };
    const branch = { type: "object", properties, required: ["label"], additionalProperties: false };
    const schema = { type: "object", properties: { root: of }, required: ["root"], $defs: { branch } };
    const sides = { input: { schema, name: "MakeTreeInput" }, output: { schema, name: "MakeTreeOutput" } };
    const printed = printToolSchemas({ ...sides, taken: [] });
    expect(await pretty(printed.text)).toBe(`export interface Branch {
  label: string;
  branches?: Branch[] | undefined;
}

export const Branch: Schema<Branch> = /* @__PURE__ */ schema(() =>
  z.strictObject({ label: z.string(), branches: z.array(Branch).optional() }),
);

export interface MakeTreeInput {
  root: Branch;
}

export const MakeTreeInput: Schema<MakeTreeInput> = /* @__PURE__ */ schema(() =>
  z.looseObject({ root: Branch }),
);

export interface BranchOutput {
  label: string;
  branches?: BranchOutput[];
}

export const BranchOutput: Schema<BranchOutput> = /* @__PURE__ */ schema(() =>
  z.strictObject({ label: z.string(), branches: z.array(BranchOutput).exactOptional() }),
);

export interface MakeTreeOutput {
  root: BranchOutput;
}

export const MakeTreeOutput: Schema<MakeTreeOutput> = /* @__PURE__ */ schema(() =>
  z.looseObject({ root: BranchOutput }),
);
`);
  });

  it("gives the path of a diagnostic, and renames imports whose names are taken", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "array", uniqueItems: true }, b: { type: "string", pattern: "(" } },
    };
    const sides = { input: { schema, name: "AInput" }, output: { schema, name: "AOutput" } };
    const printed = printToolSchemas({ ...sides, taken: ["Schema", "schema", "uniqueItems"] });
    const checks = ["schema as schemaCheck", "type Schema as SchemaCheck", "uniqueItems as uniqueItemsCheck"];
    expect(printed.checks).toEqual(checks);
    expect(printed.text).toContain("const AInput: SchemaCheck<AInput> = /* @__PURE__ */ schemaCheck(() =>");
    expect(printed.text).toContain("z.array(z.unknown()).check(uniqueItemsCheck)");
    const paths = ["input", "output"].map((side) => `/${side}Schema/properties/b/pattern`);
    expect(printed.diagnostics.map(({ path }) => path)).toEqual(paths);
  });
});

describe("printZodModule", () => {
  const next = {
    type: "object",
    properties: { size: { $ref: "#/$defs/size" }, next: { $ref: "#/$defs/next" } },
  };
  const schema = { ...next, $defs: { size: { enum: ["s", "l"] }, next } };

  it("annotates only recursive schemas, and declares schemas before their use", () => {
    expect(printZodModule(schema, { name: "Item" }).text).toBe(`import * as z from "zod";

const Next: z.ZodType = /* @__PURE__ */ z.lazy(() => z.looseObject({ size: Size.optional(), next: Next.optional() }));

const Size = z.enum(["s","l"]);

export const Item = z.looseObject({ size: Size.optional(), next: Next.optional() });
`);
  });

  it("prints the same text for the same schema", () => {
    expect(printZodModule(schema, { name: "Item" })).toEqual(
      printZodModule(structuredClone(schema), { name: "Item" }),
    );
  });
});

it.each<[string, JsonValue, name: string, text: string]>([
  ["unknown for any value", {}, "T", "export type T = unknown;\n"],
  ["a name as it is spelled", { type: "object", properties: { a: {} } }, "HTTP_url2", "export interface HTTP_url2 {\na?: unknown;\n}\n"],
  ["no other key unless the schema allows it", { type: "object", properties: { a: { type: "string" } }, required: ["a"] }, "T", "export interface T {\na: string;\n}\n"],
  ["no other key of a closed object", { type: "object", properties: { a: { type: "string" } }, additionalProperties: false }, "T", "export interface T {\na?: string | undefined;\n}\n"],
  ["other keys", { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: true }, "T",
    "export interface T {\na: string;\n[key: string]: unknown;\n}\n"],
  ["other keys with a type", { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: { type: "number" } }, "T",
    "export interface T {\na: string;\n[key: string]: number | string;\n}\n"],
  ["an object without properties", { type: "object", additionalProperties: false }, "T", "export type T = { [key: string]: never };\n"],
  ["a comment of one line", { type: "object", description: "Finds a post.", properties: { a: {} } }, "T", "/** Finds a post. */\nexport interface T {\na?: unknown;\n}\n"],
  ["an escaped invisible character", { type: "object", properties: { a: { description: "a\u202eb" } } }, "T", "export interface T {\n/** a\\u202eb */\na?: unknown;\n}\n"],
  ["brackets around a union in a list", { type: "array", items: { type: ["string", "number"] } }, "T", "export type T = (string | number)[];\n"],
  ["names that every object inherits", { type: "object", properties: { hasOwnProperty: {}, ["__proto__"]: {} } }, "T",
    'export interface T {\nhasOwnProperty?: unknown;\n"__proto__"?: unknown;\n}\n'],
])("a type has %s", async (_what, schema, name, text) => {
  expect((await printTypes(schema, { name })).text).toBe(text);
}); // prettier-ignore

function plan(schema: JsonValue): SchemaPlan {
  const names = { taken: new Set<string>(), checks: new Map() };
  return planSchema(schema, { name: "Root", side: "input", hasTypes: true, names });
}

function nested(depth: number, wrap: (inside: JsonValue) => JsonValue): JsonValue {
  let schema: JsonValue = { type: "string", maxLength: depth };
  for (let level = 0; level < depth; level += 1) schema = wrap(schema);
  return schema;
}

function depthOf(node: SchemaIR): number {
  return 1 + Math.max(0, ...childrenOf(node).map(depthOf));
}

describe("nested schemas", () => {
  it.each<[string, (inside: JsonValue) => JsonValue]>([
    ["objects", (inside) => ({ type: "object", properties: { part: inside } })],
    ["lists", (inside) => ({ type: "array", items: inside })],
    ["maps", (inside) => ({ type: "object", additionalProperties: inside })],
    ["choices", (inside) => ({ anyOf: [{ type: "null" }, { type: "array", items: inside }] })],
  ])("are cut into declarations that TypeScript can follow: %s", (_, wrap) => {
    const { declarations } = plan(nested(60, wrap));
    expect(declarations.length).toBeGreaterThan(4);
    // The maximum depth of a declaration, and one reference or leaf at its end.
    for (const { node } of declarations) expect(depthOf(node)).toBeLessThanOrEqual(14);
  });

  it("stay one declaration if they are not too deep", () => {
    const wrap = (inside: JsonValue): JsonValue => ({ type: "object", properties: { part: inside } });
    expect(plan(nested(8, wrap)).declarations.map(({ name }) => name)).toEqual(["Root"]);
  });

  it("are also cut within definitions", () => {
    const wrap = (inside: JsonValue): JsonValue => ({ type: "object", properties: { part: inside } });
    const { declarations } = plan({
      type: "object",
      properties: { tree: { $ref: "#/$defs/Tree" } },
      $defs: { Tree: nested(20, wrap) },
    });
    expect(declarations.map(({ name }) => name)).toEqual(expect.arrayContaining(["Tree", "Part", "Root"]));
    for (const { node } of declarations) expect(depthOf(node)).toBeLessThanOrEqual(12);
  });
});
