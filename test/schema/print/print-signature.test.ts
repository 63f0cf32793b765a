import { encode } from "gpt-tokenizer/encoding/o200k_base";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { printSignature } from "../../../src/schema/print/print-signature.js";
import { compileModules } from "../support/compile-modules.js";
import { expected } from "../../data/files.js";
import { readToolLists } from "../support/data.js";

describe("a signature", () => {
  it("describes required properties and limits of numbers", () => {
    const input = {
      type: "object",
      properties: {
        title: { type: "string", description: "The title.\nShown in lists." },
        status: { enum: ["draft", "publish"], default: "draft" },
        per_page: { type: "integer", minimum: 1, maximum: 100, description: "How many." },
        since: { type: "string", format: "date-time" },
        meta: { type: "object", properties: { key: { type: "string" } }, required: ["key"] },
      },
      required: ["title"],
    };
    const output = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] };
    expect(printSignature({ input, output })).toBe(`type Args = {
  title: string; // The title. Shown in lists.
  status?: "draft" | "publish"; // default "draft"
  per_page?: number; // integer 1..100
  since?: string; // date-time
  meta?: { key: string };
};
type Result = {
  id: number; // integer
};`);
    expect(printSignature({ input: { type: "object" } })).toBe("type Args = { [key: string]: unknown };");
    expect(printSignature({ input: { type: "object", additionalProperties: false } })).toBe(
      "type Args = { [key: string]: never };",
    );
  });

  it("names recursive definitions", () => {
    const tree = { type: "object", properties: { children: { type: "array", items: { $ref: "#" } } } };
    expect(printSignature({ input: tree, output: tree })).toBe(
      "type Args = { children?: Args[] };\ntype Result = { children?: Result[] };",
    );
    const circle = { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } };
    expect(() => printSignature({ input: circle })).toThrow("only refers to itself");
  });

  it("reads the dialect of WordPress", () => {
    const input = { type: "object", properties: { id: { type: "string", required: true } } };
    expect(printSignature({ input }, "wordpress")).toBe("type Args = { id: string };");
  });

  it.each([
    ["description", (text: string) => ({ properties: { a: { description: text } }, required: ["a"] })],
    ["property", (text: string) => ({ properties: { [text]: { default: 1 }, __proto__x: {} } })],
    ["enum", (text: string) => ({ properties: { a: { enum: [text], default: text.slice(0, 10) } } })],
    ["format", (text: string) => ({ properties: { a: { type: "string", format: text } } })],
  ])("keeps a hostile %s as data", (_, make) => {
    const hostile = "*/ ` ${x} \" ' \u2028 \u202e \u0000 \n }; export const evil = 1; // \r } type Evil = 1;";
    const text = printSignature({ input: { type: "object", ...make(hostile) } });
    const file = ts.createSourceFile("a.ts", text, ts.ScriptTarget.ES2023, true);
    expect(file.statements.map(({ kind }) => ts.SyntaxKind[kind])).toEqual(["TypeAliasDeclaration"]);
    // eslint-disable-next-line no-control-regex -- forbidden characters
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u2028\u202e]/);
  });
});

describe("the signatures of real tools", () => {
  const tools = readToolLists();

  it("compile, and cost a fraction of the tokens of the schemas", () => {
    let [whole, short] = [0, 0];
    const namespaces = tools.map(({ input, output }, index) => {
      const text = printSignature({ input, output });
      short += encode(text).length;
      whole += encode(JSON.stringify(input)).length;
      if (output !== undefined) whole += encode(JSON.stringify(output)).length;
      return `export namespace Tool${index} {\n${text}\n}`;
    });
    const modules = new Map([["signatures", namespaces.join("\n")]]);
    expect(compileModules(modules, { exactOptionalPropertyTypes: true })).toEqual([]);
    expect(tools.length).toBeGreaterThan(expected(30, 2_800));
    expect(short / whole).toBeLessThan(expected(1 / 2, 1 / 3));
  });
});
