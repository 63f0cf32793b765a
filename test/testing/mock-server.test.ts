import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";
import * as bakery from "../../generated/example/index.js";
import { LOCKFILE_VERSION } from "../../src/core/lockfile.js";
import { formatLockfile } from "../../src/core/lockfile-text.js";
import { mockServer, type MockOptions } from "../../src/testing/mock-server.js";
import { ToolCallError, defineServer, type CallOptions } from "../../src/runtime/index.js";
import { createRegistry } from "../../src/agent/registry/create-registry.js";
import { connectTools, defineTool, throughAbility } from "../../src/codegen.js";
import { listTools, lockList } from "./lock-tools.js";
const lock = "generated/mcp-codegen.lock.json";
const given: MockOptions = { lock };
const folder = mkdtempSync(join(tmpdir(), "mock-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const POST: bakery.GetPostOutput = {
  ...{ id: 1, title: "Bread", content: "", excerpt: null, status: "publish", tags: [], featured_image: null },
  ...{ created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" },
};

describe("a mocked server", () => {
  it("answers with generated values: the same call has the same answer", async () => {
    const [first, again, other] = [given, given, { ...given, seed: 2 }].map((options) =>
      mockServer(bakery, {}, options),
    );
    const post = await first?.tools.getPost({ id: 7 });
    expect(post?.id).toBe(7);
    expect(await first?.tools.getPost({ id: 7 })).toEqual(post);
    expect(await again?.tools.getPost({ id: 7 })).toEqual(post);
    expect(await other?.tools.getPost({ id: 7 })).not.toEqual(post);
  });

  it("answers by a handler, and keeps the calls", async () => {
    const mock = mockServer(bakery, { getPost: ({ id }) => ({ ...POST, id, title: `Post ${id}` }) });
    expect((await mock.tools.getPost({ id: 5 })).title).toBe("Post 5");
    expect(mock.calls).toEqual([{ tool: "get-post", arguments: { id: 5 } }]);
    mock.reset();
    expect(mock.calls).toEqual([]);
  });

  it("answers with what was stated or learned of a tool without an output schema", async () => {
    const server = defineServer({ name: "example", url: "https://example.com/mcp" });
    const open = { server, input: z.looseObject({}), inputSchema: () => ({}) };
    const output = z.lazy(() =>
      z.looseObject({ id: z.int(), mail_url: z.url(), state: z.enum(["on", "off"]) }),
    );
    const tools = {
      learned: defineTool({ ...open, name: "learned", output, observed: 3 }),
      stated: defineTool({ ...open, name: "stated", output: z.array(z.number().min(5)).min(2) }),
    };
    const lockPath = join(folder, "no-outputs.lock.json");
    const definition = { name: "stated", inputSchema: { type: "object" } };
    const example = lockList(listTools([definition]));
    writeFileSync(lockPath, formatLockfile({ lockfileVersion: LOCKFILE_VERSION, servers: { example } }));
    const mocked = mockServer(
      { server, connect: (options) => connectTools(server, tools, options) },
      {},
      { lock: lockPath },
    );
    const numbers = await mocked.tools.stated({});
    expect(numbers.length).toBeGreaterThan(1);
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(5);
    expect(await mocked.tools.learned({ id: 4 }, { output: "strict" })).toMatchObject({ id: 4 });
  });

  it("lets a handler change a generated answer", async () => {
    const mock = mockServer(
      bakery,
      { getPost: async (_input, { generate }) => ({ ...(await generate()), title: "Mine" }) },
      given,
    );
    expect(await mock.tools.getPost({ id: 5 })).toMatchObject({ id: 5, title: "Mine" });
  });

  it("refuses invalid input before a handler runs", async () => {
    const mock = mockServer(bakery, {
      getPost: () => {
        throw new Error("was called");
      },
    });
    expect(await mock.tools.getPost.safe({ id: -1 })).toMatchObject({
      error: { code: "TOOL_INVALID_INPUT" },
    });
    expect(mock.calls).toEqual([]);
  });

  it("refuses what a handler returns against the output schema", async () => {
    const mock = mockServer(bakery, { getPost: () => ({ ...POST, id: -1 }) });
    const result = await mock.tools.getPost.safe({ id: 1 }, { output: "off" });
    expect(result).toMatchObject({
      error: {
        code: "TOOL_INVALID_OUTPUT",
        message: expect.stringContaining(
          'The handler of tool "get-post" returned what the output schema refuses: id:',
        ) as string,
      },
    });
  });

  it("fails as a handler says", async () => {
    const down = {
      ...({ code: "TOOL_UNAVAILABLE", message: "Down.", retryable: true } as const),
      ...{ tool: "list-posts", server: "example" },
    };
    const mock = mockServer(bakery, {
      getPost: () => {
        throw new Error("There is no post 1.");
      },
      listPosts: () => {
        throw new ToolCallError(down);
      },
    });
    expect(await mock.tools.getPost.safe({ id: 1 })).toMatchObject({
      error: { code: "TOOL_EXECUTION_FAILED", message: 'Tool "get-post" failed: There is no post 1.' },
    });
    expect(await mock.tools.listPosts.safe({})).toEqual({ ok: false, error: down });
  });

  it("answers recorded calls from a cassette, and others with generated values", async () => {
    const cassette = join(folder, "posts");
    const recorder = mockServer(bakery, { getPost: () => ({ ...POST, title: "Recorded" }) });
    // A mock is a server too: its calls can be recorded.
    await bakery.getPost(
      { id: 1 },
      {
        record: cassette,
        client: {
          callTool: async () => ({ content: [], structuredContent: await recorder.tools.getPost({ id: 1 }) }),
        },
      },
    );
    const mock = mockServer(bakery, {}, { lock, cassette });
    expect((await mock.tools.getPost({ id: 1 })).title).toBe("Recorded");
    expect((await mock.tools.getPost({ id: 2 })).title).not.toBe("Recorded");
  });

  it("refuses a cassette that does not exist, instead of generating all answers", async () => {
    const mock = mockServer(bakery, {}, { lock, cassette: join(folder, "mispelt") });
    expect(await mock.tools.getPost.safe({ id: 1 })).toMatchObject({
      error: { message: expect.stringMatching(/Cassette ".*mispelt" does not exist/) as string },
    });
  });

  it("ignores the cassette of the environment", async () => {
    process.env["MCP_CODEGEN_REPLAY"] = join(folder, "missing");
    try {
      expect((await mockServer(bakery, {}, given).tools.getPost({ id: 1 })).id).toBe(1);
    } finally {
      delete process.env["MCP_CODEGEN_REPLAY"];
    }
  });

  it("fails a share of the calls, the same ones each time", async () => {
    const run = async (): Promise<readonly boolean[]> => {
      const { tools } = mockServer(bakery, {}, { lock, fail: 0.5 });
      const results: boolean[] = [];
      for (let id = 1; id <= 40; id += 1) results.push((await tools.getPost.safe({ id })).ok);
      return results;
    };
    const results = await run();
    expect(await run()).toEqual(results);
    const failed = results.filter((ok) => !ok).length;
    expect(failed).toBeGreaterThan(8);
    expect(failed).toBeLessThan(32);
  });

  it("is a server of a registry, which asks nothing of the real one", async () => {
    const mock = mockServer(bakery, {}, given);
    const registry = createRegistry({ servers: [mock.tools] });
    await registry.refresh();
    expect(await registry.call("example__get-post", { id: 4 })).toMatchObject({ ok: true, value: { id: 4 } });
    expect(mock.calls).toEqual([{ tool: "get-post", arguments: { id: 4 } }]);
  });

  it("answers tools that are called through another one, and tools without an output schema", async () => {
    const server = defineServer({ name: "site", url: "https://site.example/mcp" });
    const raw = { type: "object" } as const;
    const ping = defineTool({
      ...{ server, name: "site-ping", input: z.object({}), inputSchema: () => raw },
      through: () => throughAbility("site/ping", []),
    });
    const site = { server, connect: (options?: CallOptions) => connectTools(server, { ping }, options) };
    const mock = mockServer(site, { ping: () => "pong" });
    expect((await mock.tools.ping({})).text).toBe("pong");
    expect(mock.calls).toEqual([{ tool: "site-ping", arguments: {} }]);
    expect(await mockServer(site).tools.ping.safe({})).toMatchObject({
      error: {
        code: "TOOL_NOT_IMPLEMENTED",
        message:
          'The mock has no answer of tool "site-ping": it declares no output schema, and none is stated or learned. Pass a handler for it, or a cassette with this call.',
      },
    });
    // @ts-expect-error a tool without an output schema answers with a text or content
    expect(await mockServer(site, { ping: () => 5 }).tools.ping.safe({})).toMatchObject({
      error: { code: "TOOL_INVALID_OUTPUT" },
    });
  });

  it("names the lock that is missing", async () => {
    const mock = mockServer(bakery, {}, { lock: join(folder, "none.json") });
    const result = await mock.tools.getPost.safe({ id: 1 });
    expect(result).toMatchObject({
      error: { message: expect.stringContaining("There is no lockfile at") as string },
    });
  });

  it("refuses options and handlers that cannot be", () => {
    expect(() => mockServer(bakery, {}, { fail: 2 })).toThrow("The share of failing calls is 2");
    // @ts-expect-error there is no such tool
    expect(() => mockServer(bakery, { getPots: () => POST })).toThrow(
      'Server "example" has no tool "getPots"',
    );
    for (const [key, hint] of [
      ["getPots", 'Did you mean "getPost"?'],
      ["get-post", 'Did you mean "getPost"?'],
      ["somethingElse", undefined],
    ] as const)
      expect(() => mockServer(bakery, { [key]: () => POST })).toThrow(expect.objectContaining({ hint }));
    for (const handlers of [{ getPost: POST }, { getPost: Promise.resolve(POST) }, [], () => POST])
      expect(() => mockServer(bakery, handlers as never)).toThrow(/^mockServer: invalid handlers/);
  });

  it("has types that refuse a wrong handler", () => {
    mockServer(bakery, {
      // @ts-expect-error the output has a numeric id
      getPost: () => ({ ...POST, id: "1" }),
      // @ts-expect-error the output requires more than the id
      getOrder: ({ id }) => ({ id }),
    });
    const mock = mockServer(bakery);
    // @ts-expect-error the input requires an id
    void mock.tools.getPost.safe({});
    expect(mock.calls).toEqual([]);
  });
});
