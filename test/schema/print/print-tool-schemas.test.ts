import { format } from "prettier";
import { describe, expect, it } from "vitest";
import { printToolSchemas, printZodModule } from "../../../src/schema/print/print-modules.js";
import { printTypes } from "../../../src/schema/print/print-types.js";

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
    const branch = {
      type: "object",
      properties: {
        label: { type: "string" },
        branches: { type: "array", items: { $ref: "#/$defs/branch" } },
      },
      required: ["label"],
      additionalProperties: false,
    };
    const schema = {
      type: "object",
      properties: { root: { $ref: "#/$defs/branch" } },
      required: ["root"],
      $defs: { branch },
    };
    const printed = printToolSchemas({
      input: { schema, name: "MakeTreeInput" },
      output: { schema, name: "MakeTreeOutput" },
      taken: [],
    });
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
    const printed = printToolSchemas({
      input: { schema, name: "AInput" },
      output: { schema, name: "AOutput" },
      taken: ["Schema", "schema", "uniqueItems"],
    });
    expect(printed.checks).toEqual([
      "schema as schemaCheck",
      "type Schema as SchemaCheck",
      "uniqueItems as uniqueItemsCheck",
    ]);
    expect(printed.text).toContain("const AInput: SchemaCheck<AInput> = /* @__PURE__ */ schemaCheck(() =>");
    expect(printed.text).toContain("z.array(z.unknown()).check(uniqueItemsCheck)");
    expect(printed.diagnostics.map(({ path }) => path)).toEqual([
      "/inputSchema/properties/b/pattern",
      "/outputSchema/properties/b/pattern",
    ]);
  });
});

describe("printZodModule", () => {
  const schema = {
    type: "object",
    properties: { size: { $ref: "#/$defs/size" }, next: { $ref: "#/$defs/next" } },
    $defs: {
      size: { enum: ["s", "l"] },
      next: {
        type: "object",
        properties: { size: { $ref: "#/$defs/size" }, next: { $ref: "#/$defs/next" } },
      },
    },
  };

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

describe("printTypes", () => {
  it("is open only if the schema allows other keys explicitly", async () => {
    const types = async (more: object): Promise<string> =>
      (
        await printTypes(
          { type: "object", properties: { a: { type: "string" } }, required: ["a"], ...more },
          { name: "T" },
        )
      ).text;
    expect(await types({})).not.toContain("[k: string]");
    expect(await types({ additionalProperties: true })).toContain("[key: string]: unknown");
    expect(await types({ additionalProperties: { type: "number" } })).toContain(
      "[key: string]: number | string",
    );
    expect(await types({ additionalProperties: false })).not.toContain("[k: string]");
    expect((await printTypes({ type: "object", additionalProperties: false }, { name: "T" })).text).toContain(
      "[key: string]: never",
    );
    expect((await printTypes({}, { name: "T" })).text).toBe("export type T = unknown;\n");
  });
});
