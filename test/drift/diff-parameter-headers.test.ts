import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.js";
import { diffTools } from "../../src/drift/diff-tools.js";

/** The changes between these input schemas, as `rule class path`; security findings have a mark. */
function diffInputs(before: JsonObject, after: JsonObject): readonly string[] {
  const [old, now] = [before, after].map((inputSchema) => ({ name: "t", inputSchema }));
  if (old === undefined || now === undefined) return [];
  return diffTools([old], [now]).map(
    ({ rule, class: kind, security, path }) => `${rule} ${kind}${security ? "!" : ""} ${path}`,
  );
}

const string = { type: "string" };
const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...rest,
});
const tenant = (name: string): JsonObject => ({ tenant: { ...string, "x-mcp-header": name } });

describe("the header of a parameter", () => {
  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    [
      "is reported when it is added",
      object({ tenant: string }),
      object(tenant("Tenant")),
      ["parameter-header-added dangerous! /inputSchema/properties/tenant/x-mcp-header"],
    ],
    [
      "is reported when it is renamed",
      object(tenant("Tenant")),
      object(tenant("Region")),
      ["parameter-header-changed dangerous! /inputSchema/properties/tenant/x-mcp-header"],
    ],
    ["is compared without case, as in HTTP", object(tenant("Tenant")), object(tenant("TENANT")), []],
    [
      "is reported on a new parameter",
      object({}),
      object(tenant("Tenant")),
      [
        "input-optional-property-added safe /inputSchema/properties/tenant",
        "parameter-header-added dangerous! /inputSchema/properties/tenant/x-mcp-header",
      ],
    ],
    [
      "is reported in nested properties and in definitions",
      object({ v: object({ tenant: string }), w: { $ref: "#/$defs/A" } }, { $defs: { A: string } }),
      object(
        { v: object(tenant("Tenant")), w: { $ref: "#/$defs/A" } },
        { $defs: { A: { ...string, "x-mcp-header": "W" } } },
      ),
      [
        "parameter-header-added dangerous! /inputSchema/$defs/A/x-mcp-header",
        "parameter-header-added dangerous! /inputSchema/properties/v/properties/tenant/x-mcp-header",
      ],
    ],
    [
      "is safe to remove",
      object(tenant("Tenant")),
      object({ tenant: string }),
      ["parameter-header-removed safe /inputSchema/properties/tenant/x-mcp-header"],
    ],
    [
      "is not reported when it is unchanged",
      object(tenant("A"), { title: "a" }),
      object(tenant("A"), { title: "a" }),
      [],
    ],
    [
      "is not confused with a parameter of that name",
      object({}),
      object({ "x-mcp-header": string }),
      ["input-optional-property-added safe /inputSchema/properties/x-mcp-header"],
    ],
    [
      "is not searched in values",
      object({ a: string }),
      object({ a: { ...string, default: { "x-mcp-header": "A" } } }),
      ["input-default-added dangerous /inputSchema/properties/a/default"],
    ],
  ])("%s", (_, before, after, findings) => {
    expect([...diffInputs(before, after)].sort()).toEqual([...findings].sort());
  });
});
