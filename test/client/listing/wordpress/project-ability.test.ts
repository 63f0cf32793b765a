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

function inputOf(input_schema: AbilitySnapshot[string], profile: AdapterProfile): unknown {
  const projection = projectAbility({ ...ABILITY, input_schema }, profile);
  return "tool" in projection ? projection.tool["inputSchema"] : projection.reason;
}

describe("projectAbility", () => {
  it("names the tool after the ability", () => {
    expect(projectAbility(ABILITY, "0.4")).toEqual({
      tool: {
        name: "shop-list-items",
        description: "Lists.",
        type: "action",
        inputSchema: { type: "object", additionalProperties: false },
      },
    });
    expect(projectAbility(ABILITY, "0.5")).toEqual({
      tool: {
        name: "shop-list-items",
        title: "List",
        description: "Lists.",
        inputSchema: { type: "object" },
      },
    });
  });

  const WRAPPED = {
    type: "object",
    properties: { input: { type: ["object", "null"] } },
    required: ["input"],
  };

  it.each([
    ["nothing but a type", { type: "object" }, { type: "object" }, { type: "object" }],
    ["no properties", { type: "object", properties: [] }, { type: "object", properties: [] }, { type: "object" }],
    [
      "what only 0.4 keeps",
      { type: "object", properties: { a: { $ref: "#/definitions/a" } }, definitions: { a: {} } },
      { type: "object", properties: { a: { $ref: "#/definitions/a" } }, definitions: { a: {} } },
      { type: "object", properties: { a: { $ref: "#/definitions/a" } } },
    ],
    ["no type", { anyOf: [{ required: ["a"] }] }, { anyOf: [{ required: ["a"] }] }, { type: "object" }],
    [
      "a type that is not object alone",
      { type: ["object", "null"], properties: [] },
      { ...WRAPPED, properties: { input: { type: ["object", "null"], properties: [] } } },
      WRAPPED,
    ],
    [
      "a list of names with gaps, and a property that says nothing",
      { type: "object", properties: { a: [] }, required: { "1": "a" } },
      { type: "object", properties: { a: [] }, required: { "1": "a" } },
      { type: "object", properties: { a: {} }, required: ["a"] },
    ],
  ])("projects %s", (_, schema, keeping, strict) => {
    expect(inputOf(schema, "0.4")).toEqual(keeping);
    expect(inputOf(schema, "0.5")).toEqual(strict);
    expect(inputOf(schema, "0.6")).toEqual(strict);
  }); // prettier-ignore

  it("gives the reason why newer adapters omit an ability", () => {
    const schema = { type: "object", required: true };
    expect(inputOf(schema, "0.4")).toEqual(schema);
    expect(inputOf(schema, "0.5")).toMatch(/"required" of its input_schema is a boolean/);
  });

  it.each<[string, JsonObject, JsonObject | undefined, JsonObject | undefined]>([
    [
      "the names of MCP",
      { readOnlyHint: true, openWorldHint: false, title: " Items " },
      { readOnlyHint: true, openWorldHint: false, title: "Items" },
      { title: "Items", readOnlyHint: true, openWorldHint: false },
    ],
    [
      "both names, of which WordPress's counts",
      { readonly: false, readOnlyHint: true, destructive: null, destructiveHint: true },
      { readOnlyHint: false, destructiveHint: true, title: "List" },
      { title: "List", readOnlyHint: false, destructiveHint: true },
    ],
    [
      "values that are not booleans",
      { readonly: " TRUE ", destructive: "0", idempotent: 1 },
      { readOnlyHint: true, destructiveHint: false, idempotentHint: true, title: "List" },
      { title: "List", readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    ],
    ["values that only PHP converts", { readonly: "yes" }, { readOnlyHint: true, title: "List" }, undefined],
    [
      "keys of resources",
      { audience: ["user"], priority: 1, lastModified: "2026-01-01" },
      { audience: ["user"], lastModified: "2026-01-01", priority: 1, title: "List" },
      undefined,
    ],
  ])("projects annotations with %s", (_, annotations, keeping, strict) => {
    const annotationsOf = (profile: AdapterProfile): unknown => {
      const projection = projectAbility({ ...ABILITY, meta: { annotations } }, profile);
      return "tool" in projection ? projection.tool["annotations"] : projection.reason;
    };
    expect(annotationsOf("0.4")).toEqual(keeping);
    expect(annotationsOf("0.5")).toEqual(strict);
    expect(annotationsOf("0.6")).toEqual(strict);
  });

  it("removes spaces around texts, and adds icons and metadata, since 0.5", () => {
    const icons = [{ src: "https://a.example/1.png" }, { sizes: ["1x1"] }, "no icon"];
    const mcp = { icons, _meta: { "acme/a": 1 } };
    const ability = { ...ABILITY, label: " List ", description: " Lists.\n", meta: { mcp } };
    expect(projectAbility(ability, "0.6")).toEqual({
      tool: {
        name: "shop-list-items",
        title: "List",
        description: "Lists.",
        inputSchema: { type: "object" },
        icons: [{ src: "https://a.example/1.png" }],
        _meta: { "acme/a": 1 },
      },
    });
    expect(projectAbility(ability, "0.4")).toMatchObject({ tool: { description: " Lists.\n" } });
    expect(projectAbility({ ...ability, meta: { mcp: { icons: "no", _meta: [1] } } }, "0.6")).toEqual(
      projectAbility({ ...ability, meta: {} }, "0.6"),
    );
  });

  it("copies the annotations that are set", () => {
    const meta = { annotations: { readonly: true, destructive: null, instructions: "Read first." } };
    expect(projectAbility({ ...ABILITY, meta }, "0.5")).toMatchObject({
      tool: { annotations: { title: "List", readOnlyHint: true } },
    });
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
