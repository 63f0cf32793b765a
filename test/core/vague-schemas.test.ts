import { expect, it } from "vitest";
import type { JsonValue } from "../../src/core/json.js";
import { findVagueSchemas } from "../../src/core/model-schema.js";

it.each<[schema: JsonValue, isVague: boolean]>([
  [{}, true],
  [
    { $schema: "https://json-schema.org/draft/2020-12/schema", title: "Args", additionalProperties: true },
    true,
  ],
  [{ description: "Anything.", additionalProperties: {}, "x-of": 1, $defs: { a: { type: "string" } } }, true],
  [{ type: "object" }, false],
  [{ properties: {} }, false],
  [{ additionalProperties: false }, false],
  [{ additionalProperties: { type: "string" } }, false],
  [{ $ref: "#/$defs/a", $defs: { a: { type: "object" } } }, false],
  [{ anyOf: [{ type: "object" }] }, false],
  [{ required: ["a"] }, false],
  [{ not: {} }, false],
  [true, false],
])("a schema %j says nothing: %s", (inputSchema, isVague) => {
  expect(findVagueSchemas("shop", [{ name: "a", inputSchema }])).toHaveLength(isVague ? 1 : 0);
});

it("is one warning for a server, with the first names", () => {
  const tools = Array.from({ length: 14 }, (_, at) => ({ name: `t${at}`, inputSchema: {} }));
  expect(findVagueSchemas("shop", tools)).toEqual([
    {
      code: "SERVER_VAGUE",
      server: "shop",
      tool: "",
      path: "",
      message:
        "The input schemas of 14 tools (t0, t1, t2, t3, t4 and 9 more) have no `type` and no `properties`: any arguments are accepted, and models have to guess them.",
    },
  ]);
});
