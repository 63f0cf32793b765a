import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/core/json.js";
import { printTypes } from "../../../src/schema/print/print-types.js";

async function print(properties: { readonly [name: string]: JsonValue }, name = "Args"): Promise<string> {
  const schema = { type: "object", properties, required: Object.keys(properties) };
  return (await printTypes(schema, { name })).text;
}

describe("a declaration of a type:", () => {
  it("a name keeps its spelling", async () => {
    expect(await print({ id: { type: "string" } }, "HTTP_url2")).toContain("export interface HTTP_url2 {");
  });

  it("a comment of one line takes one line", async () => {
    const { text } = await printTypes(
      { type: "object", description: "Finds a post.", properties: { id: { type: "string" } } },
      { name: "Args" },
    );
    expect(text).toContain("/** Finds a post. */");
  });

  it.each(["hasOwnProperty", "__proto__"])("the property %s stays", async (name) => {
    const properties = Object.fromEntries([[name, { type: "string" } as const]]);
    expect(await print(properties)).toMatch(new RegExp(`"?${name}"?: string`));
  });

  it("brackets enclose a union in a list", async () => {
    expect(await print({ ids: { type: "array", items: { type: ["string", "number"] } } })).toContain(
      "ids: (string | number)[]",
    );
  });

  it("an object without properties has an index signature", async () => {
    expect(await print({ meta: { type: "object", additionalProperties: false } })).toContain(
      "meta: { [key: string]: never }",
    );
  });

  it("an invisible character is escaped", async () => {
    expect(await print({ id: { type: "string", description: "a\u202eb" } })).toContain("a\\u202eb");
  });
});
