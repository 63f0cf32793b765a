import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import { findInexactByEntry } from "../../../src/client/listing/inexact-numbers.js";
import { validateTools } from "../../../src/client/listing/validate-tools.js";

function validate(text: string): ReturnType<typeof validateTools> {
  return validateTools("test", [
    { entries: JSON.parse(text) as JsonValue[], inexact: findInexactByEntry(text, []) },
  ]);
}

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
}

describe("validateTools", () => {
  test("keeps an unusable definition, with the reason", () => {
    const validated = validate(
      '[{"name":"b","inputSchema":false,"x":1},{"name":"a","inputSchema":{"type":"object"}}]',
    );
    expect(validated.tools).toEqual([
      { name: "a", inputSchema: { type: "object" } },
      { name: "b", inputSchema: false, x: 1 },
    ]);
    expect(validated.unusable).toEqual({ b: "The input schema is a boolean, not an object schema." });
    expect(validated.diagnostics).toEqual([
      {
        code: "TOOL_UNUSABLE",
        server: "test",
        tool: "b",
        path: "/inputSchema",
        message: "The input schema is a boolean, not an object schema.",
      },
    ]);
  });

  test.each<[string, JsonObject, string, string]>([
    [
      "tasks",
      { inputSchema: {}, execution: { taskSupport: "required" } },
      "/execution/taskSupport",
      "The server refuses calls of the tool: they must run as tasks, which is not supported.",
    ],
    [
      "a parameter in a header",
      { inputSchema: { properties: { a: { properties: { b: { "x-mcp-header": "B" } } } } } },
      "/inputSchema/properties/a/properties/b/x-mcp-header",
      "Over HTTP, the server may refuse calls of the tool: it demands a parameter in an HTTP header, which is not supported.",
    ],
  ])("names a server that demands %s, and keeps the tool usable", (_, definition, path, message) => {
    const { diagnostics, unusable } = validate(JSON.stringify([{ name: "a", ...definition }]));
    expect(diagnostics).toEqual([{ code: "CALL_UNSUPPORTED", server: "test", tool: "a", path, message }]);
    expect(unusable).toEqual({});
  });

  test.each<[string, JsonObject]>([
    ["may run as a task", { inputSchema: {}, execution: { taskSupport: "optional" } }],
    ["has a parameter with the name of the keyword", { inputSchema: { properties: { "x-mcp-header": {} } } }],
    ["has a default with such a key", { inputSchema: { default: { "x-mcp-header": "A" } } }],
  ])("says nothing about a tool that %s", (_, definition) => {
    expect(validate(JSON.stringify([{ name: "a", ...definition }])).diagnostics).toEqual([]);
  });

  test("takes known tools in the place of null, except for a name that the list has before", () => {
    const { tools } = validate('[{"name":"a","inputSchema":{}}]');
    const text = '[null,{"name":"b","inputSchema":{}},null]';
    const entries = JSON.parse(text) as JsonValue[];
    const known = new Map(
      tools.flatMap((tool) => [[0, tool] as const, [1, tool] as const, [2, tool] as const]),
    );
    const validated = validateTools("test", [{ entries, inexact: findInexactByEntry(text, []), known }]);
    expect(validated.tools.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(validated.tools[0]).toBe(tools[0]);
    expect(validated.repeated).toEqual(tools);
  });

  test("reports a number that JavaScript cannot hold with its tool and path", () => {
    const validated = validate(
      '[{"name":"ok","inputSchema":{}},{"name":"big","inputSchema":{"properties":{"a/b":{"enum":[1,9007199254740993]}}}}]',
    );
    expect(Object.keys(validated.unusable)).toEqual(["big"]);
    expect(validated.diagnostics[0]).toMatchObject({
      tool: "big",
      path: "/inputSchema/properties/a~1b/enum/1",
    });
  });

  test("takes an output schema that is null for an absent one", () => {
    const { tools, unusable } = validate(
      '[{"name":"a","inputSchema":{},"outputSchema":null,"annotations":null,"title":null}]',
    );
    expect(unusable).toEqual({});
    expect(tools).toEqual([{ name: "a", inputSchema: {}, annotations: null, title: null }]);
  });

  test("keeps a definition nested over 200 levels, and omits one too deep to be locked", () => {
    const validated = validate(
      `[{"name":"fine","inputSchema":${nested(198)}},{"name":"deep","inputSchema":${nested(400)}},{"name":"abyss","inputSchema":${nested(200_000)}}]`,
    );
    expect(validated.tools.map((tool) => tool.name)).toEqual(["deep", "fine"]);
    expect(Object.keys(validated.unusable)).toEqual(["deep"]);
    expect(validated.diagnostics.map(({ tool }) => tool)).toEqual(["deep", "abyss"]);
  });

  test("accepts names such as those of Object.prototype", () => {
    const validated = validate(
      '[{"name":"__proto__"},{"name":"constructor","inputSchema":{}},{"name":"toString"}]',
    );
    expect(validated.tools.map((tool) => tool.name)).toEqual(["__proto__", "constructor", "toString"]);
    expect(Object.keys(validated.unusable)).toEqual(["__proto__", "toString"]);
  });
});
