import { expect, test } from "vitest";
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

test("an unusable definition is kept, with the reason", () => {
  const message = "The input schema is a boolean, not an object schema.";
  const usable = { name: "a", inputSchema: { type: "object" } };
  const odd = { name: "b", inputSchema: false, x: 1 };
  const { tools, unusable, diagnostics } = validate(JSON.stringify([odd, usable]));
  expect([tools, unusable]).toEqual([[usable, odd], { b: message }]);
  expect(diagnostics).toEqual([
    { code: "TOOL_UNUSABLE", server: "test", tool: "b", path: "/inputSchema", message },
  ]);
});

const task = {
  code: "CALL_UNSUPPORTED",
  path: "/execution/taskSupport",
  message: "The server refuses calls of the tool: they must run as tasks, which is not supported.",
};
const header = {
  code: "CALL_UNSUPPORTED",
  path: "/inputSchema/properties/a/properties/b/x-mcp-header",
  message:
    "Over HTTP, the server may refuse calls of the tool: it demands a parameter in an HTTP header, which is not supported.",
};
const withHeader = { properties: { a: { properties: { b: { "x-mcp-header": "B" } } } } };
test.each<[string, JsonObject, readonly object[]]>([
  ["must run as a task", { inputSchema: {}, execution: { taskSupport: "required" } }, [task]],
  ["may run as a task", { inputSchema: {}, execution: { taskSupport: "optional" } }, []],
  ["has a parameter in a header", { inputSchema: withHeader }, [header]],
  ["has a parameter named like that", { inputSchema: { properties: { "x-mcp-header": {} } } }, []],
  ["has a default with such a key", { inputSchema: { default: { "x-mcp-header": "A" } } }, []],
])("a tool that %s is usable, and what its server demands is named", (_, definition, expected) => {
  const { diagnostics, unusable } = validate(JSON.stringify([{ name: "a", ...definition }]));
  expect(diagnostics).toEqual(expected.map((each) => ({ ...each, server: "test", tool: "a" })));
  expect(unusable).toEqual({});
});

test("known tools take the place of null, except for a name that the list has before", () => {
  const { tools } = validate('[{"name":"a","inputSchema":{}}]');
  const text = '[null,{"name":"b","inputSchema":{}},null]';
  const entries = JSON.parse(text) as JsonValue[];
  const known = new Map(tools.flatMap((tool) => [0, 1, 2].map((at) => [at, tool] as const)));
  const validated = validateTools("test", [{ entries, inexact: findInexactByEntry(text, []), known }]);
  expect(validated.tools.map(({ name }) => name)).toEqual(["a", "b"]);
  expect(validated.tools[0]).toBe(tools[0]);
  expect(validated.repeated).toEqual(tools);
});

test("a number that JavaScript cannot hold is reported with its tool and path", () => {
  const schema = '{"properties":{"a/b":{"enum":[1,9007199254740993]}}}';
  const list = `[{"name":"ok","inputSchema":{}},{"name":"big","inputSchema":${schema}}]`;
  const { unusable, diagnostics } = validate(list);
  expect(Object.keys(unusable)).toEqual(["big"]);
  expect(diagnostics).toMatchObject([{ tool: "big", path: "/inputSchema/properties/a~1b/enum/1" }]);
});

test("an output schema that is null counts as absent", () => {
  const rest = { name: "a", inputSchema: {}, annotations: null, title: null };
  const { tools, unusable } = validate(JSON.stringify([{ ...rest, outputSchema: null }]));
  expect([tools, unusable]).toEqual([[rest], {}]);
});

test("names may be such as those of Object.prototype", () => {
  const list = '[{"name":"__proto__"},{"name":"constructor","inputSchema":{}},{"name":"toString"}]';
  const { tools, unusable } = validate(list);
  expect(tools.map(({ name }) => name)).toEqual(["__proto__", "constructor", "toString"]);
  expect(Object.keys(unusable)).toEqual(["__proto__", "toString"]);
});

test("a definition nested over 200 levels is kept, and one too deep to be locked is omitted", () => {
  const levels = Object.entries({ fine: 198, deep: 400, abyss: 200_000 });
  const list = levels.map(([name, depth]) => `{"name":"${name}","inputSchema":${nested(depth)}}`);
  const { tools, unusable, diagnostics } = validate(`[${list.join(",")}]`);
  expect(tools.map(({ name }) => name)).toEqual(["deep", "fine"]);
  expect(Object.keys(unusable)).toEqual(["deep"]);
  expect(diagnostics.map(({ tool }) => tool)).toEqual(["deep", "abyss"]);
});
