import { describe, expect, test } from "vitest";
import * as z from "zod";
import { connectTools } from "../../../src/codegen.js";
import { defineServer } from "../../../src/runtime/tool.js";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import type { RegistryOptions } from "../../../src/agent/registry/registry.js";
import { defineStaticTool } from "../../../src/agent/index.js";
import { lockedTool } from "./fake-server.js";
import * as example from "../../../generated/example/index.js";

/** A client that answers what it was asked, so that nothing connects. */
const echo = {
  callTool: (params: { name: string; arguments?: Record<string, unknown> }) =>
    Promise.resolve({ content: [{ type: "text", text: JSON.stringify(params) }] }),
};

const own = (name: string) => defineStaticTool({ name, input: z.object({}), execute: () => "static" });

function namesOf(tools: readonly { readonly name: string }[]): readonly string[] {
  return tools.map(({ name }) => name);
}

describe("the tools of a registry", () => {
  test("are those of generated code, under the server's name and their own", async () => {
    const registry = createRegistry({ servers: [example.connect({ client: echo })] });
    const tools = await registry.getTools();
    expect(tools).toHaveLength(12);
    expect(namesOf(tools)).toEqual([...namesOf(tools)].sort());
    const tool = await registry.getTool("example__get-post");
    expect(tool).toMatchObject({ server: "example", isLocked: true, title: "Get a post" });
    expect(tool?.inputSchema()).toEqual(example.getPost.definition.inputSchema());
  });

  test("are in one order, however they were registered: static tools, then servers as configured", async () => {
    const registry = createRegistry({ static: [own("z"), own("y")] });
    const zoo = defineServer({ name: "zoo" });
    const bar = defineServer({ name: "bar" });
    registry.registerServerTools("zoo", [lockedTool(zoo, "b"), lockedTool(zoo, "a")]);
    registry.registerServerTools("bar", [lockedTool(bar, "c")]);
    expect(namesOf(await registry.getTools())).toEqual(["z", "y", "zoo__a", "zoo__b", "bar__c"]);
  });

  test("are narrowed by server, category and lock, and gone when their server is removed", async () => {
    const server = defineServer({ name: "shop" });
    const registry = createRegistry({ static: [own("clock")] });
    registry.registerServerTools("shop", [
      lockedTool(server, "sell", { category: "commerce" }),
      lockedTool(server, "greet"),
    ]);
    expect(namesOf(await registry.getTools({ server: "shop" }))).toEqual(["shop__greet", "shop__sell"]);
    expect(namesOf(await registry.getTools({ category: "commerce" }))).toEqual(["shop__sell"]);
    expect(await registry.getTools({ isLocked: false })).toEqual([]);
    expect(await registry.getTools({ server: "unknown" })).toEqual([]);
    for (let time = 0; time < 2; time += 1) registry.removeServerTools("shop");
    expect(namesOf(await registry.getTools())).toEqual(["clock"]);
    expect(() => registry.isStale("shop")).toThrow(/has no server "shop"/);
  });
});

describe("a static tool", () => {
  test("wins over a server's tool and an earlier static tool of the same name, with one warning", async () => {
    const warnings: string[] = [];
    const onWarning = (message: string): void => void warnings.push(message);
    const registry = createRegistry({ static: [own("shop__sell")], onWarning });
    const server = defineServer({ name: "shop" });
    for (let time = 0; time < 2; time += 1) {
      registry.registerServerTools("shop", [lockedTool(server, "sell"), lockedTool(server, "buy")]);
      expect(namesOf(await registry.getTools())).toEqual(["shop__sell", "shop__buy"]);
    }
    expect(await registry.call("shop__sell", {})).toEqual({ ok: true, value: "static" });
    expect(warnings).toEqual(['Static tool "shop__sell" hides the tool of the same name of server "shop".']);
    const later = { name: "shop__sell", input: z.object({}), execute: () => "later" };
    registry.registerStaticTool(defineStaticTool(later));
    expect(await registry.call("shop__sell", {})).toEqual({ ok: true, value: "later" });
    expect(warnings[1]).toContain('"shop__sell" is registered twice');
  });

  test("may be a generated tool under its own name", async () => {
    const registry = createRegistry({ static: [example.connect({ client: echo }).getPost] });
    expect(await registry.getTool("get-post")).toMatchObject({ name: "get-post", isLocked: true });
    expect(await registry.getTool("get-post")).not.toHaveProperty("server");
  });
});

describe("a registry refuses", () => {
  test.each<[RegistryOptions, RegExp]>([
    [{ servers: [defineServer({ name: "a__b" })] }, /Invalid server name "a__b"/],
    [{ servers: [{ server: defineServer({ name: "shop_" }) }] }, /Invalid server name "shop_"/],
    [{ servers: [example, example.connect({ client: echo })] }, /Two servers of the registry are called "example"/], // prettier-ignore
    // What a caller without types may write.
    [{ servers: [{ createPost: () => undefined }] as never }, /contains a value that is not a server/],
    [{ servers: [null] as never }, /contains a value that is not a server/],
    [{ static: [() => undefined] as never }, /contains a value that is not a tool/],
    [{ static: [null] as never }, /contains a value that is not a tool/],
  ])("%#", (options, message) => {
    expect(() => createRegistry(options)).toThrow(message);
  });

  test("a connection to another environment than its own", () => {
    const server = defineServer({ name: "shop", environments: { sandbox: {}, production: {} } });
    const servers = [connectTools(server, { sell: lockedTool(server, "sell") }, { environment: "sandbox" })];
    expect(() => createRegistry({ servers })).toThrow(/does not use environment "default"/);
    const message = /The connection to "shop" does not use environment "production"/;
    expect(() => createRegistry({ servers, environment: "production" })).toThrow(message);
    const { environments } = createRegistry({ servers, environment: "sandbox" });
    expect(environments).toEqual(["sandbox", "production"]);
  });
});
