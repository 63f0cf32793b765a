import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/contract/json.js";
import { hasFormat } from "../../src/runtime/checks/format.js";
import { ASSERTED_FORMATS } from "../../src/schema/asserted-formats.js";
import { printToolSchemas } from "../../src/schema/print-tool-schemas.js";
import { printZodModule } from "../../src/schema/print-zod-module.js";
import { evaluateModule } from "./support/evaluate-module.js";

const asserted = (schema: JsonValue): ReturnType<typeof printZodModule> =>
  printZodModule(schema, { name: "Printed", formats: "assert" });

const accepts = (schema: JsonValue, value: JsonValue): boolean =>
  evaluateModule(asserted(schema).text, "Printed").safeParse(value).success;

describe("formats", () => {
  it("are annotations unless they are asserted", () => {
    const schema = { type: "string", format: "email", maxLength: 9 };
    expect(printZodModule(schema, { name: "Printed" }).text).not.toContain("check");
    const { text, diagnostics } = asserted(schema);
    expect(text).toContain('z.string().max(9).check(format("email"))');
    expect(text).toContain('import { format } from "mcp-codegen/runtime";');
    expect(diagnostics).toEqual([]);
    expect(["a@b.cd", "a", 1].map((value) => accepts(schema, value))).toEqual([true, false, false]);
  });

  it("constrain strings alone", () => {
    expect([1, null, "::1", "1"].map((value) => accepts({ format: "ipv6" }, value))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it("are asserted in what is interpreted, negated and referred to", () => {
    const over = {
      type: "object",
      anyOf: [{ properties: { a: { format: "date" } } }],
      unevaluatedProperties: false,
    };
    expect([{ a: "2024-02-29" }, { a: "2023-02-29" }].map((value) => accepts(over, value))).toEqual([
      true,
      false,
    ]);
    expect(accepts({ not: { format: "date" } }, "2024-02-29")).toBe(false);
    const referring = { $ref: "#/$defs/day", $defs: { day: { format: "date" } } };
    expect(accepts(referring, "no")).toBe(false);
  });

  it("that nobody knows are said and not checked", () => {
    const { diagnostics } = asserted({
      type: "object",
      properties: { a: { type: "string", format: "hex-color" } },
    });
    expect(diagnostics).toMatchObject([{ code: "KEYWORD_LOOSENED", path: "/properties/a/format" }]);
    expect(accepts({ type: "string", format: "idn-hostname" }, "-")).toBe(true);
    expect(asserted({ type: "integer", format: "int32" }).diagnostics).toEqual([]);
  });

  it("are known to the runtime when they are known here", () => {
    expect([...ASSERTED_FORMATS].filter((name) => hasFormat("\u0000(", name))).toEqual([]);
    expect(hasFormat("\u0000(", "toString")).toBe(true);
  });

  it("are asserted in a tool's module, input and output", async () => {
    const schema = { type: "object", properties: { at: { type: "string", format: "date-time" } } };
    const { text, checks } = await printToolSchemas({
      input: { schema, name: "AtInput" },
      output: { schema, name: "AtOutput" },
      formats: "assert",
      taken: [],
    });
    expect(checks).toEqual(["format"]);
    expect(text.split('.check(format("date-time"))')).toHaveLength(3);
  });
});

describe("the dialect of a tool", () => {
  const print = async (schema: JsonValue): Promise<string> =>
    (await printToolSchemas({ input: { schema, name: "TInput" }, defaultDialect: "wordpress", taken: [] }))
      .text;
  const properties = { n: { type: "number", required: true, minimum: 0, exclusiveMinimum: true } };

  it("is the configured one where the schema does not say", async () => {
    expect(await print({ type: "object", properties })).toContain("n: z.number().gt(0)");
  });

  it("is the schema's own where it does", async () => {
    const $schema = "https://json-schema.org/draft/2020-12/schema";
    expect(await print({ $schema, type: "object", properties })).toContain("n: z.number().min(0).optional()");
  });
});
