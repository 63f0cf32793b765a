import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toolNameOf, type AbilitySnapshot, type AdapterProfile } from "../../../../src/core/ability.js";
import type { JsonObject, JsonValue } from "../../../../src/core/json.js";
import { projectAbility } from "../../../../src/client/listing/wordpress/project-ability.js";
import { isPublicTool, readAbility } from "../../../../src/client/listing/wordpress/read-abilities.js";
import { readAbilitySets, readServedTools, skipNote, hasData, WORDPRESS } from "./data.js";

const ADAPTERS = [
  ["0.4", "tools-adapter-0.4.1"],
  ["0.5", "tools-adapter-0.5.0"],
] as const satisfies readonly (readonly [AdapterProfile, string])[];

describe.skipIf(!hasData)(`real abilities${skipNote}`, () => {
  it.each(ADAPTERS)("are projected as adapter %s serves them, byte for byte", (profile, folder) => {
    const sets = readAbilitySets();
    let compared = 0;
    for (const file of readdirSync(join(WORDPRESS, folder))) {
      const served = readServedTools(join(folder, file));
      const names = new Set(served.keys());
      const set = sets.find(
        (abilities) =>
          abilities.length === names.size && abilities.every(({ name }) => names.has(toolNameOf(name))),
      );
      expect(set, file).toBeDefined();
      for (const ability of set ?? []) {
        const tool = served.get(toolNameOf(ability.name));
        expect(JSON.stringify(projectAbility(ability, profile))).toBe(JSON.stringify({ tool }));
        compared += 1;
      }
    }
    expect(compared).toBe(186);
  });

  it("are read from the REST API without links and empty schemas", () => {
    const list = JSON.parse(readFileSync(join(WORDPRESS, "rest-abilities-wp71.json"), "utf8")) as unknown[];
    const abilities = list.map((entry) => readAbility(entry as AbilitySnapshot));
    expect(abilities).toHaveLength(32);
    for (const ability of abilities) {
      expect(ability).toBeDefined();
      expect(ability).not.toHaveProperty("_links");
      for (const key of ["input_schema", "output_schema"]) expect(ability?.[key]).not.toEqual([]);
    }
  });
});

const ABILITY: AbilitySnapshot = { name: "shop/list-items", label: "List", description: "Lists." };

/** Returns a part of the tool that an adapter makes of an ability, or why it makes none. */
function partOf(ability: JsonObject, part: string, profile: AdapterProfile): unknown {
  const projection = projectAbility({ ...ABILITY, ...ability }, profile);
  return "tool" in projection ? projection.tool[part] : projection.reason;
}
/** Expects that adapter 0.4 and newer ones make these parts of an ability. */
function expectParts(ability: JsonObject, part: string, keeping: unknown, strict: unknown): void {
  const parts = (["0.4", "0.5", "0.6"] as const).map((profile) => partOf(ability, part, profile));
  expect(parts).toEqual([keeping, strict, strict]);
}

describe("projectAbility", () => {
  const tool = { name: "shop-list-items", description: "Lists.", inputSchema: { type: "object" } };
  it.each([
    ["0.4", { ...tool, type: "action", inputSchema: { type: "object", additionalProperties: false } }],
    ["0.5", { ...tool, title: "List" }],
  ] as const)("names the tool after the ability, in %s", (profile, expected) => {
    expect(projectAbility(ABILITY, profile)).toEqual({ tool: expected });
  });

  const WRAPPED = {
    type: "object",
    properties: { input: { type: ["object", "null"] } },
    required: ["input"],
  };
  const OBJECT = { type: "object" };
  const a = { $ref: "#/definitions/a" };
  const gaps = { type: "object", properties: { a: [] }, required: { "1": "a" } };
  const filled = { type: "object", properties: { a: {} }, required: ["a"] };
  const nullable = { type: ["object", "null"], properties: [] };

  it.each<[string, schema: JsonObject, keeping: JsonObject, strict: JsonObject]>([
    ["nothing but a type", OBJECT, OBJECT, OBJECT],
    ["no properties", { ...OBJECT, properties: [] }, { ...OBJECT, properties: [] }, OBJECT],
    [
      "what only 0.4 keeps",
      { ...OBJECT, properties: { a }, definitions: { a: {} } },
      { ...OBJECT, properties: { a }, definitions: { a: {} } },
      { ...OBJECT, properties: { a } },
    ],
    ["no type", { anyOf: [{ required: ["a"] }] }, { anyOf: [{ required: ["a"] }] }, OBJECT],
    ["a type that is not object alone", nullable, { ...WRAPPED, properties: { input: nullable } }, WRAPPED],
    ["names with gaps, and a property that says nothing", gaps, gaps, filled],
  ])("projects %s", (_, input_schema, keeping, strict) => {
    expectParts({ input_schema }, "inputSchema", keeping, strict);
  });

  it("gives the reason why newer adapters omit an ability", () => {
    const input_schema = { type: "object", required: true };
    const reason = expect.stringMatching(/"required" of its input_schema is a boolean/) as string;
    expectParts({ input_schema }, "inputSchema", input_schema, reason);
  });

  const title = "List";
  const dates = { audience: ["user"], priority: 1, lastModified: "2026-01-01" };
  const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, title };
  const wordpress = { readOnlyHint: false, destructiveHint: true, title };
  const mcp = { readOnlyHint: true, openWorldHint: false, title: "Items" };
  const both = { readonly: false, readOnlyHint: true, destructive: null, destructiveHint: true };
  it.each<[string, annotations: JsonObject, keeping: JsonObject, strict: JsonObject | undefined]>([
    ["the names of MCP", { ...mcp, title: " Items " }, mcp, mcp],
    ["both names, of which WordPress's counts", both, wordpress, wordpress],
    ["values that are not booleans", { readonly: " TRUE ", destructive: "0", idempotent: 1 }, hints, hints],
    ["values that only PHP converts", { readonly: "yes" }, { readOnlyHint: true, title }, undefined],
    ["keys of resources", dates, { ...dates, title }, undefined],
  ])("projects annotations with %s", (_, annotations, keeping, strict) => {
    expectParts({ meta: { annotations } }, "annotations", keeping, strict);
  });

  it("removes spaces around texts, and adds icons and metadata, since 0.5", () => {
    const icons = [{ src: "https://a.example/1.png" }, { sizes: ["1x1"] }, "no icon"];
    const mcp = { icons, _meta: { "acme/a": 1 } };
    const ability = { ...ABILITY, label: " List ", description: " Lists.\n", meta: { mcp } };
    const more = { title: "List", icons: [{ src: "https://a.example/1.png" }], _meta: { "acme/a": 1 } };
    expect(projectAbility(ability, "0.6")).toEqual({ tool: { ...tool, ...more } });
    expect(projectAbility(ability, "0.4")).toMatchObject({ tool: { description: " Lists.\n" } });
    expect(projectAbility({ ...ability, meta: { mcp: { icons: "no", _meta: [1] } } }, "0.6")).toEqual(
      projectAbility({ ...ability, meta: {} }, "0.6"),
    );
  });

  it("copies the annotations that are set", () => {
    const annotations = { readonly: true, destructive: null, instructions: "Read first." };
    const set = { title: "List", readOnlyHint: true };
    expect(partOf({ meta: { annotations } }, "annotations", "0.5")).toEqual(set);
  });
});

describe("isPublicTool", () => {
  const mcp = (value: JsonValue, more: JsonObject = {}): JsonObject => ({ mcp: { public: value, ...more } });
  it.each<[JsonObject | undefined, boolean, boolean]>([
    [undefined, false, false],
    [{ show_in_rest: true }, false, false],
    [mcp(false), false, false],
    [mcp(true), true, true],
    [mcp(true, { type: "tool" }), true, true],
    [mcp(true, { type: "prompt" }), false, false],
    [mcp(true, { type: "resource" }), false, false],
    [mcp(true, { type: "widget" }), true, true],
    // `(bool)` in PHP.
    [mcp(1), true, true],
    [mcp("yes"), true, true],
    [mcp("false"), true, true],
    [mcp("0.0"), true, true],
    [mcp([0]), true, true],
    [mcp("0"), false, false],
    [mcp(""), false, false],
    [mcp(0), false, false],
    [mcp(-0), false, false],
    [mcp([]), false, false],
    // Since 0.6, `meta.public` counts where `meta.mcp.public` is not set.
    [{ public: true }, false, true],
    [{ public: true, mcp: {} }, false, true],
    [{ public: true, mcp: [] }, false, true],
    [{ public: true, mcp: null }, false, true],
    [{ public: true, ...mcp(null) }, false, true],
    [{ public: true, mcp: { type: "prompt" } }, false, false],
    [{ public: true, ...mcp(false) }, false, false],
    [{ public: true, ...mcp("0") }, false, false],
    [{ public: true, mcp: "yes" }, false, false],
    [{ public: 1 }, false, false],
    [{ public: "true" }, false, false],
    [{ public: false, ...mcp(true) }, true, true],
  ])("whether meta %j is public", (meta, before, since) => {
    const ability = { ...ABILITY, ...(meta && { meta }) };
    expect(isPublicTool(ability, "0.4")).toBe(before);
    expect(isPublicTool(ability, "0.5")).toBe(before);
    expect(isPublicTool(ability, "0.6")).toBe(since);
  });
});
