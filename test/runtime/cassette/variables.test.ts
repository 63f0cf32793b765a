import { rm } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import { defineServer } from "../../../src/runtime/tool.js";
import { fixtureCommand } from "../../servers/start-fixture.js";
import { answering, connectShop, newCassette, readFileOf, recorded, unreachable } from "./make-tools.js";

describe("MCP_CODEGEN_RECORD", () => {
  it("records the calls of a program that sets no cassette", async () => {
    const folder = await newCassette();
    process.env["MCP_CODEGEN_RECORD"] = folder;
    try {
      const client = answering(() => ({ content: [] }));
      await connectShop({ client }).find({ q: 1 });
      const own = await connectShop({ client: unreachable, replay: folder }).find.safe({ q: 2 });
      expect(own.ok || own.error.code).toBe("CALL_NOT_RECORDED");
    } finally {
      delete process.env["MCP_CODEGEN_RECORD"];
    }
    expect((await readFileOf(folder, "shop/find.json")).calls).toMatchObject([{ arguments: { q: 1 } }]);
  });
});

describe("MCP_CODEGEN_REPLAY", () => {
  it("answers the calls of a program that sets no cassette, unless MCP_CODEGEN_RECORD is set", async () => {
    const folder = await recorded({ q: 1 });
    process.env["MCP_CODEGEN_REPLAY"] = folder;
    try {
      const { find } = connectShop({ client: unreachable });
      expect(await find.safe({ q: 1 })).toMatchObject({ ok: true });
      expect(await find.safe({ q: 2 })).toMatchObject({ error: { code: "CALL_NOT_RECORDED" } });
      process.env["MCP_CODEGEN_RECORD"] = folder;
      expect(await find.safe({ q: 1 })).toMatchObject({ error: { code: "TOOL_UNAVAILABLE" } });
    } finally {
      delete process.env["MCP_CODEGEN_REPLAY"];
      delete process.env["MCP_CODEGEN_RECORD"];
    }
  });
});

describe("a registry", () => {
  it("records its calls, and replays them without asking servers for their tools", async () => {
    const folder = await newCassette();
    const settings = fixtureCommand("counting");
    const shop = () => connectShop({}, { url: undefined, ...settings } as object);
    const live = createRegistry({ servers: [defineServer({ name: "shop", ...settings })], record: folder });
    const recorded = await live.call("shop__read", { id: 7 });
    expect(recorded.ok && recorded.value).toMatchObject({ text: "read 7" });
    expect((await readFileOf(folder, "shop/read.json")).calls).toHaveLength(1);
    await connectShop({ record: folder, client: answering(() => ({ content: [] })) }).find({ q: 1 });
    const { find, getPost } = shop();
    const replayed = createRegistry({
      servers: [
        { server: defineServer({ name: "shop", command: "/nowhere/at-all" }), find, getPost } as never,
      ],
      replay: folder,
      onWarning: (message) => expect.unreachable(message),
    });
    expect((await replayed.getTools()).map(({ name }) => name)).toEqual(["shop__find", "shop__get-post"]);
    expect(await replayed.call("shop__find", { q: 1 })).toMatchObject({ ok: true });
    expect(await replayed.call("shop__find", { q: 2 })).toMatchObject({
      error: { code: "CALL_NOT_RECORDED" },
    });
    await rm(folder, { recursive: true });
  });
});
