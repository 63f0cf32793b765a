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

  it("calls abilities, with inputs and answers that are not objects", async () => {
    expect(await wordpress.get({ id: 1 })).toEqual({ id: 1, price: "9.00" });
    expect(await wordpress.sell({ input: [1, 2] })).toEqual({ result: true });
  });

  it("passes nothing to an ability without an input schema", async () => {
    await wordpress.ping({});
    expect(ping).toHaveBeenLastCalledWith(undefined);
  });

  it("validates answers by the generated schema", async () => {
    await expect(wordpress.get({ id: 2 })).rejects.toMatchObject({ code: "TOOL_INVALID_OUTPUT" });
  });

  it("reports what WordPress throws, and abilities that it does not have", async () => {
    const denied = wordpress.deny({});
    await expect(denied).rejects.toMatchObject({ code: "TOOL_EXECUTION_FAILED" });
    await expect(denied).rejects.toThrow("Permission denied for ability: acme/deny");
    await expect(wordpress.gone({})).rejects.toThrow(/not registered the ability "acme.gone"/);
  });
});

it("names the plugin whose answer breaks its own schema, and the option that accepts the answer", async () => {
  const locked = { dialect: "wordpress", category: "shop", ...product } as const;
  const tools = {
    execute: defineTool({ server, name: "acme-get", through: () => throughAbility("acme/get"), ...locked }),
    tools: defineTool({ server, name: "acme-get", ...locked }),
  };
  const wordpress = connectTools(server, tools, { client: abilitiesClient(abilities) });
  await expect(wordpress.execute({ id: 2 })).rejects.toThrow(
    /The plugin "acme" registers its schema, as ability "acme\/get"\. .*pass \{ output: "warn" \} with the call/,
  );
  await expect(wordpress.tools({ id: 2 })).rejects.toThrow(
    /A plugin registers its schema in the category "shop"\./,
  );
  const onWarning = vi.fn();
  expect(await wordpress.execute({ id: 2 }, { output: "warn", onWarning })).toEqual({ id: 2, price: 2 });
  expect(onWarning).toHaveBeenCalledWith(expect.stringContaining('The plugin "acme"'));
});
