import fc from "fast-check";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import { printTypes } from "../../src/schema/print/print-types.js";
import { printZodModule } from "../../src/schema/print/print-modules.js";
import { evaluateModule, printToolModule, toZod } from "./support/evaluate-module.js";

const BREAKOUT =
  "*/ globalThis.hacked = 1; /* ` ${globalThis.hacked = 1} \\ \" ' \u2028 \u2029 \n globalThis.hacked = 1 // \r export const evil = 1";

/** Returns the kinds and names of the statements of a module. A text from a server must not add one. */
function outline(text: string): readonly string[] {
  const file = ts.createSourceFile("module.ts", text, ts.ScriptTarget.ES2023, true);
  const { diagnostics } = ts.transpileModule(text, {
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ES2023 },
  });
  expect(diagnostics?.map(({ messageText }) => messageText)).toEqual([]);
  return file.statements.map((statement) => ts.SyntaxKind[statement.kind]);
}

const EXPECTED = [
  "ImportDeclaration", "ImportDeclaration", "InterfaceDeclaration", "FirstStatement", "InterfaceDeclaration", "FirstStatement",
]; // prettier-ignore

describe("hostile schemas", () => {
  const texts: readonly (readonly [where: string, make: (text: string) => JsonValue])[] = [
    ["description", (text) => ({ description: text, properties: { a: { type: "string", description: text } } })],
    ["property name", (text) => ({ properties: { [text]: { type: "string" } }, required: [text] })],
    ["nested property name", (text) => ({ properties: { a: { type: "object", properties: { [text]: {} } } } })],
    ["required name", (text) => ({ properties: { a: {} }, required: [text] })],
    ["enum value", (text) => ({ properties: { a: { enum: [text, "b"] } } })],
    ["title and $id", (text) => ({ title: text, $comment: text, properties: { a: { title: text, $id: "https://example.com/x" } } })],
    ["default and examples", (text) => ({ properties: { a: { default: text, examples: [text] } } })],
    ["format", (text) => ({ properties: { a: { type: "string", format: text } } })],
    ["tsType", (text) => ({ tsType: text, properties: { a: { tsType: text, type: "string" } } })],
    ["tsEnumNames", (text) => ({ properties: { a: { type: "string", enum: ["a", "b"], tsEnumNames: [text, "B"] } } })],
    ["unknown keyword", (text) => ({ [text]: text, properties: { a: { type: "string", [text]: { [text]: text } } } })],
    ["definition name", (text) => ({ properties: { a: { $ref: `#/$defs/${encodeURIComponent(text.replaceAll("~", "~0").replaceAll("/", "~1"))}` } }, $defs: { [text]: { type: "string" } } })],
  ]; // prettier-ignore

  it.each(texts)("%s is data", (where, make) => {
    const schema = { type: "object", ...(make(BREAKOUT) as object) };
    const module = printToolModule(schema, schema);
    const found = outline(module).filter(
      (kind) => where !== "definition name" || kind !== "TypeAliasDeclaration",
    );
    if (where === "definition name") expect(found.length).toBe(8);
    else expect(found).toEqual(EXPECTED);
    expect(module).not.toMatch(/[\u2028\u2029\r]/);
    evaluateModule(module, "ToolInput").safeParse({});
    expect(Object.hasOwn(globalThis, "hacked")).toBe(false);
  });

  it("an enum value keeps its exact text", () => {
    const parser = toZod({ enum: [BREAKOUT, "x"] });
    expect(parser.safeParse(BREAKOUT).success).toBe(true);
    expect(parser.safeParse("y").success).toBe(false);
  });

  it("a title does not shadow a global, and a tsType is ignored", async () => {
    const a = { title: "Array", type: "object", tsType: "any", properties: { b: { type: "string" } } };
    const odd = { title: "String", $id: "https://example.com/Record", tsType: "any" };
    const schema = { ...odd, type: "object", properties: { a } };
    const { text } = await printTypes(schema, { name: "ToolInput" });
    expect(text).toContain("export interface ToolInput {");
    expect(text).not.toMatch(/\bany\b|\b(interface|type) (String|Array|Record)\b/);
  });

  it("the name of a definition differs from globals, declared names and other definitions", () => {
    const object = (name: string): JsonValue => ({
      type: "object",
      properties: { [name]: { type: "string" } },
    });
    const names = [
      "String", "Record", "Promise", "tool-input", "ToolInput", "node", "Node", "z", "1", "", "любовь",
    ]; // prettier-ignore
    const schema: JsonValue = {
      type: "object",
      properties: Object.fromEntries(
        names.map((name) => [`p${name}`, { $ref: `#/$defs/${encodeURIComponent(name)}` }]),
      ),
      $defs: Object.fromEntries(names.map((name) => [name, object(name)])),
    };
    const module = printToolModule(schema, schema);
    const declared = [...module.matchAll(/^(?:export )?const ([^:\s]+):/gm)].map(([, name]) => name);
    expect(new Set(declared).size).toBe(declared.length);
    expect(declared).toHaveLength(2 * (names.length + 1));
    for (const name of ["String", "Record", "Promise", "z"]) expect(declared).not.toContain(name);
    evaluateModule(module, "ToolInput");
  });

  it("a description of 40 kB is kept", () => {
    const description = "word ".repeat(8_000).trim();
    const module = printToolModule({ type: "object", description });
    expect(module.split(description).length - 1).toBe(1);
  });

  it("a description cannot become a compiler directive", async () => {
    const schema = { type: "object", properties: { a: { type: "string", description: "@ts-ignore" } } };
    const { text } = await printTypes(schema, { name: "ToolInput" });
    expect(text).not.toContain("/** @ts-ignore */");
  });

  it("a name that cannot be declared is an error", () => {
    for (const name of ["z", "class", "a-b", "", "Promise", "x; evil()"]) {
      expect(() => printZodModule({}, { name })).toThrow(expect.objectContaining({ code: "USAGE" }) as Error);
    }
  });

  it("no text adds a statement", () => {
    const part = fc.oneof(
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.constantFrom(...'*/ ` ${ \\ " \u2028 __proto__ constructor toString $ref tsType'.split(" "), "\n"),
    );
    const text = fc.array(part, { maxLength: 4 }).map((parts) => parts.join(""));
    const property = fc.property(text, text, text, (name, value, description) => {
      const properties = Object.fromEntries([
        [name, { enum: [value], description }],
        ["list", { type: "array", items: { const: { [value]: [value] } } }],
      ]) as JsonObject;
      const schema: JsonObject = { type: "object", description, properties };
      const module = printToolModule(schema, schema);
      const kinds = outline(module);
      expect(kinds.filter((kind) => kind !== "ImportDeclaration")).toEqual(EXPECTED.slice(2));
      expect(evaluateModule(module, "ToolInput").safeParse(Object.fromEntries([[name, value]])).success).toBe(
        name !== "list",
      );
    });
    // A failure prints the seed.
    fc.assert(property, { numRuns: 60, examples: [["__proto__", "", ""]] });
  });
});
