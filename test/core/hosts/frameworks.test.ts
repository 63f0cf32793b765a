/** The rules about frameworks name exactly the tools that the frameworks themselves refuse or change. */
import { readFileSync } from "node:fs";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { mcpToFunctionTool, type MCPServer } from "@openai/agents-core";
import { expect, onTestFinished, test, vi } from "vitest";
import { findHostFindings } from "../../../src/core/hosts/find-host-findings.js";
import type { HostId } from "../../../src/core/hosts/host.js";
import {
  getOwn,
  isJsonObject,
  isNamedObject,
  type JsonObject,
  type NamedObject,
} from "../../../src/core/json.js";
import { dataFiles, expected } from "../../data/files.js";

interface List {
  readonly tools: readonly unknown[];
}

/** Definitions with what the frameworks judge, beside those of real servers. */
const SMALL: readonly NamedObject[] = (
  [
    { $ref: "#/properties/other" },
    { $ref: "#/$defs/a" },
    { $ref: "#/$defs/a", minLength: 1 },
    { $ref: "#/$defs/a", description: "A." },
    { enum: ["a", 1] },
    { enum: ["1"], type: "integer" },
    { enum: [1, 2], type: "number" },
    { enum: ["a", null], type: ["string", "null"] },
    { const: 1 },
    { anyOf: [{ type: "string" }, { type: "null" }] },
    { anyOf: [{ type: "object", properties: { b: { type: "string" } } }] },
    { anyOf: [{ type: "string" }], type: "string" },
    { type: "object" },
    { type: "object", additionalProperties: { type: "string" } },
    { type: "object", properties: {}, additionalProperties: false },
    { type: "array", prefixItems: [{}] },
    { oneOf: [{ type: "string" }] },
    { not: {} },
  ] satisfies readonly JsonObject[]
).map((value, index) => ({
  name: `small_${index}`,
  inputSchema: {
    type: "object",
    properties: { value, other: { type: "string" } },
    $defs: { a: { type: "string" } },
  },
}));

const tools: readonly NamedObject[] = [
  ...SMALL,
  ...dataFiles("tool-lists").flatMap((file) => {
    const { tools: listed } = JSON.parse(readFileSync(file, "utf8")) as List;
    return listed.filter(isNamedObject);
  }),
];

const schemaOf = (tool: JsonObject): JsonObject => {
  const schema = getOwn(tool, "inputSchema");
  return isJsonObject(schema) ? schema : {};
};

/** The tools for which a rule of the host has an effect. */
function namedBy(host: HostId, rules: RegExp): readonly string[] {
  return tools.flatMap((definition) =>
    findHostFindings([{ server: "shop", definition }], [host]).some(({ rule }) => rules.test(rule))
      ? [definition.name]
      : [],
  );
}

test("@ai-sdk/google for AI SDK 6 throws for the tools that the rules name", async () => {
  const google = createGoogleGenerativeAI({
    apiKey: "none",
    fetch: () => Promise.reject(new Error("It was sent.")),
  });
  const model = google("gemini-2.5-flash");
  const thrown: string[] = [];
  for (const tool of tools) {
    const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hello" }] }];
    const one = { type: "function" as const, name: tool.name, inputSchema: schemaOf(tool) };
    const problem: unknown = await Promise.resolve(model.doGenerate({ prompt, tools: [one] })).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(problem instanceof Error && problem.message.includes("It was sent."))) thrown.push(tool.name);
  }
  expect(thrown).toEqual(namedBy("ai-sdk-google", /-(?:ref|enum)$/));
  expect(thrown).toHaveLength(expected(3, 23));
});

test("@openai/agents-core leaves strict mode for the tools that the rule names", () => {
  // The SDK logs each tool.
  const logged = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  onTestFinished(() => {
    logged.mockRestore();
  });
  const server = { name: "shop" } as MCPServer;
  const left = tools.filter((tool) => {
    const given = { name: tool.name, inputSchema: schemaOf(tool) } as Parameters<typeof mcpToFunctionTool>[0];
    return !mcpToFunctionTool(given, server, true).strict;
  });
  expect(left.map(({ name }) => name)).toEqual(namedBy("openai-agents", /./));
  expect(left).toHaveLength(expected(19, 597));
});
