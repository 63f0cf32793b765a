import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createRegistry } from "../../src/agent/registry/create-registry.js";
import { defineServer } from "../../src/runtime/tool.js";
import {
  connectShop,
  answering,
  newCassette,
  readFileOf,
  unreachable,
} from "../runtime/cassette/make-tools.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { makeProject, makePulled } from "./make-project.js";

const EXAMPLE = {
  command: "node",
  args: [join(import.meta.dirname, "../../bin/mcp-codegen.js"), "example-server"],
};

describe("call --record", () => {
  it("calls a tool with flags, and writes its cassette", async () => {
    const project = await makePulled({ servers: { example: EXAMPLE } });
    const { exitCode, stdout, stderr } = await project.run([
      "call",
      "--record",
      "example__get-post",
      "--id",
      "1",
    ]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: 'Recorded in "cassettes/example/get-post.json".\n',
    });
    const file = JSON.parse(await project.read("cassettes/example/get-post.json")) as object;
    expect(file).toMatchObject({
      cassetteVersion: 1,
      server: "example",
      tool: "get-post",
      contract: "1.0.0",
      calls: [{ arguments: { id: 1 }, result: { structuredContent: JSON.parse(stdout) as object } }],
    });
    const again = await project.run(["call", "--record", "example__get-post", "--id", "1"]);
    expect(again.stderr).toBe('Recorded in "cassettes/example/get-post.json".\n');
    // A folder of its own, and options after the name of the tool.
    const other = await project.run([
      "call",
      "--record",
      "example__get-post",
      "--id",
      "2",
      "--cassette",
      "other",
    ]);
    expect(other.stderr).toBe('Recorded in "other/example/get-post.json".\n');
    expect(await project.paths()).toContain("other/example/get-post.json");
    const help = await project.run(["call", "--record", "example__get-post", "--help"]);
    expect(help.stdout).toContain("--id");
    await project.refuses(
      ["call", "example__get-post", "--id", "1", "--cassette", "other"],
      "--cassette requires --record.",
    );
  });

  it("records the failure of a tool, with its exit code", async () => {
    const project = await makePulled({ servers: { example: EXAMPLE }, cassettes: ["test/cassettes"] });
    const { exitCode, stderr } = await project.run(["call", "--record", "example__get-post", "--id", "4711"]);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('Recorded in "test/cassettes/example/get-post.json".'),
    ]);
  });

  it("keeps the policy", async () => {
    const project = await makePulled({ servers: { example: EXAMPLE } });
    await project.prints(["call", "--record", "example__delete-post", "--id", "1"], 2);
    expect(await project.paths()).not.toContain("cassettes/example/delete-post.json");
  });
});

describe("the paths of a configuration", () => {
  it("are redacted by generated code and by the command", async () => {
    const servers = { example: { ...EXAMPLE, record: { redact: ["result.structuredContent.title"] } } };
    const project = await makePulled({ servers });
    expect(await project.read("generated/example/server.ts")).toContain(
      'record: { redact: ["result.structuredContent.title"] }',
    );
    await project.run(["call", "--record", "example__get-post", "--id", "1"]);
    const text = await project.read("cassettes/example/get-post.json");
    expect(text).toContain('"title": "[redacted]"');
  });

  it.each(["customer.email", "arguments", "result..iban"])("are refused: %s", async (path) => {
    const project = await makeProject({ servers: { example: { ...EXAMPLE, record: { redact: [path] } } } });
    await project.refuses(["check", "--offline"], 'expected a path that starts with "arguments."');
  });
});

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
    const folder = await newCassette();
    await connectShop({ record: folder, client: answering(() => ({ content: [] })) }).find({ q: 1 });
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
