/** Generated wrappers on the real `@wordpress/abilities`, whose store also runs outside of a browser. */
import * as abilities from "@wordpress/abilities";
import { beforeAll, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { connectTools, defineTool } from "../../src/codegen.js";
import { abilitiesClient, throughAbility } from "../../src/runtime/abilities.js";
import { defineServer } from "../../src/runtime/tool.js";

const server = defineServer({ name: "wordpress", contract: "1.0.0" });
const inputSchema = () => ({});
const product = {
  input: z.strictObject({ id: z.int() }),
  output: z.object({ id: z.int(), price: z.string() }),
  inputSchema,
};
const list = {
  input: z.strictObject({ input: z.array(z.int()) }),
  output: z.object({ result: z.boolean() }),
  inputSchema,
};
const none = { input: z.strictObject({}), inputSchema };

/** As generated for the adapter's default server, and for a server that lists the abilities as tools. */
type Through = (ability: string, wrapped?: readonly ("input" | "result")[]) => object;
const routeOf = (through: Through) => ({
  get: defineTool({ server, name: "acme-get", ...through("acme/get"), ...product }),
  sell: defineTool({ server, name: "acme-sell", ...through("acme/sell", ["input", "result"]), ...list }),
  ping: defineTool({ server, name: "acme-ping", ...through("acme/ping"), ...none }),
  deny: defineTool({ server, name: "acme-deny", ...through("acme/deny"), ...none }),
  gone: defineTool({ server, name: "acme-gone", ...through("acme/gone"), ...none }),
});
const ROUTES = {
  execute: routeOf((...ability) => ({ through: () => throughAbility(...ability) })),
  tools: routeOf(() => ({})),
};

const ping = vi.fn(() => ({ pong: true }));

beforeAll(() => {
  abilities.registerAbilityCategory("shop", { label: "Shop", description: "Products." });
  const register = (name: string, rest: Partial<abilities.Ability>): void => {
    abilities.registerAbility({ name, label: name, description: name, category: "shop", ...rest });
  };
  register("acme/get", {
    input_schema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
    output_schema: { type: "object" },
    callback: ({ id }: { readonly id: number }) => ({ id, price: id === 2 ? 2 : "9.00" }),
  });
  register("acme/sell", {
    input_schema: { type: "array", items: { type: "integer" } },
    output_schema: { type: "boolean" },
    callback: (ids: readonly number[]) => ids.length === 2,
  });
  register("acme/ping", { callback: ping });
  register("acme/deny", { permissionCallback: () => false, callback: () => true });
});

describe.each(Object.entries(ROUTES))("abilitiesClient, tools of the route %s", (_, tools) => {
  const wordpress = connectTools(server, tools, { client: abilitiesClient(abilities) });

  it("calls abilities, with inputs and answers that are not objects, or without an input", async () => {
    expect(await wordpress.get({ id: 1 })).toEqual({ id: 1, price: "9.00" });
    expect(await wordpress.sell({ input: [1, 2] })).toEqual({ result: true });
    await wordpress.ping({});
    expect(ping).toHaveBeenLastCalledWith(undefined);
  });

  it("validates answers by the generated schema", async () => {
    await expect(wordpress.get({ id: 2 })).rejects.toMatchObject({ code: "TOOL_INVALID_OUTPUT" });
  });

  it("reports what WordPress throws, and abilities that it does not have", async () => {
    const denied = "Permission denied for ability: acme/deny";
    const error = { code: "TOOL_EXECUTION_FAILED", message: expect.stringContaining(denied) as string };
    expect(await wordpress.deny.safe({})).toMatchObject({ error });
    await expect(wordpress.gone({})).rejects.toThrow(/not registered the ability "acme.gone"/);
  });
});
