import { describe, expect, test } from "vitest";
import type { ServerSnapshot } from "../../../src/core/snapshot.js";
import type { ListedSettings } from "../../../src/client/listing/list-in-session.js";
import { type ListHooks, listServer } from "../../../src/client/listing/list-server.js";
import { fixtureCommand, startFixture } from "../../servers/start-fixture.js";

const fixture = fixtureCommand;

function http(url: string, transport?: "http" | "sse"): ListedSettings {
  return { url, ...(transport && { transport }) };
}

async function snapshotServer(
  server: string,
  settings: ListedSettings,
  hooks: ListHooks = {},
): Promise<ServerSnapshot> {
  const context = { dir: ".", lookup: () => undefined };
  return (await listServer({ server, settings }, context, hooks)).snapshot;
}

describe("listServer", () => {
  test("reads every page, also after an empty cursor", async () => {
    const pages: string[] = [];
    const snapshot = await snapshotServer("paged", fixture("paged"), {
      onPage: (page, tools) => pages.push(`${page}:${tools}`),
    });
    expect(snapshot.listing.pages).toBe(4);
    expect(pages).toHaveLength(4);
    expect(pages.at(-1)).toBe(`4:${snapshot.tools.length}`);
    expect(snapshot.tools.map((tool) => tool.name)).toEqual(
      snapshot.tools.map((tool) => tool.name).toSorted(),
    );
  });

  test.each([
    ["endless-cursor", "The server's list of tools has more than 10000 pages."],
    ["repeating-cursor", "The server's list of tools repeats a cursor after page 3."],
  ])("rejects the list of %s", async (name, message) => {
    const failing = snapshotServer(name, fixture(name));
    await expect(failing).rejects.toMatchObject({ code: "LIST_INCOMPLETE", message });
  });

  test("rejects an endless list of large pages at a limit in characters", async () => {
    const pages: number[] = [];
    const failing = snapshotServer("endless", fixture("endless-cursor", "--size", "8000000"), {
      onPage: (page) => pages.push(page),
    });
    await expect(failing).rejects.toMatchObject({
      code: "LIST_INCOMPLETE",
      message: "The server's list of tools does not end within 64 MiB: it has 9 pages so far.",
    });
    expect(pages).toHaveLength(9);
  });

  test("rejects a list that ends early", async () => {
    await expect(snapshotServer("dies", fixture("dies-midway", "--at", "list"))).rejects.toMatchObject({
      code: "LIST_INCOMPLETE",
    });
  });

  test("isolates unusable tools and keeps their definitions as sent", async () => {
    const snapshot = await snapshotServer("odd", fixture("odd-schemas"));
    expect(Object.keys(snapshot.unusable)).toEqual([
      "boolean-root-false",
      "boolean-root-true",
      "input-array-root",
      "input-is-text",
      "input-missing",
      "input-null",
      "input-string-root",
      "number-of-an-enum",
    ]);
    expect(snapshot.unusable["number-of-an-enum"]).toContain("12345678901234567890");
    const beyond = snapshot.tools.filter(({ name }) => name.startsWith("number-beyond"));
    expect(JSON.stringify(beyond)).toContain('"maximum":"12345678901234567890"');
    expect(JSON.stringify(beyond)).toContain('"maximum":"1e999"');
    const nameless = snapshot.diagnostics.filter((diagnostic) => diagnostic.tool === "");
    expect(nameless.map((diagnostic) => diagnostic.message)).toEqual([
      "Entry 0 of the list has no name.",
      "Entry 1 of the list has no name.",
      "Entry 2 of the list has no name.",
      "Entry 3 of the list is not an object.",
      "Entry 4 of the list is not an object.",
      "Entry 5 of the list is not an object.",
    ]);
    const proto = snapshot.tools.find((tool) => tool.name === "proto-keys");
    expect(JSON.stringify(proto)).toContain('"properties":{"__proto__":{"type":"string"}');
    const unknown = snapshot.tools.find((tool) => tool.name === "unknown-keys");
    expect(unknown).toMatchObject({ "x-vendor": { b: 1, a: [null] }, _meta: { k: "v" } });
  });

  test("keeps the first of two tools with one name", async () => {
    const snapshot = await snapshotServer("twice", fixture("duplicate-names"));
    const codes = snapshot.diagnostics.map((diagnostic) => diagnostic.code);
    expect(codes).toEqual(["TOOL_DUPLICATE", "TOOL_DUPLICATE"]);
    expect(new Set(snapshot.tools.map((tool) => tool.name)).size).toBe(snapshot.tools.length);
  });

  test("reads a list of 50 MB over stdio", async () => {
    const snapshot = await snapshotServer("huge", fixture("huge-list", "--megabytes", "50"));
    expect(snapshot.tools.length).toBeGreaterThan(1);
  });

  test("reads a list of 50 MB over HTTP, as events", async () => {
    await using server = await startServer("huge-list", ["--megabytes", "50", "--answer", "sse"]);
    const snapshot = await snapshotServer("huge", http(server.url));
    expect(snapshot.tools.length).toBeGreaterThan(1);
  });

  test("falls back to legacy SSE", async () => {
    await using server = await startServer("paged", [], "sse");
    const snapshot = await snapshotServer("paged", http(server.url));
    expect(snapshot.listing.pages).toBe(4);
    await expect(snapshotServer("paged", http(server.url, "http"))).rejects.toMatchObject({
      code: "SERVER_REFUSED",
    });
  });

  test("declares the capabilities that the list depends on", async () => {
    const names = async (capabilities: object): Promise<string[]> => {
      const settings = { ...fixture("lists-by-capability"), capabilities: { ...capabilities } };
      const snapshot = await snapshotServer("by", settings);
      expect(snapshot.listing.clientCapabilities).toEqual(capabilities);
      return snapshot.tools.map((tool) => tool.name);
    };
    expect(await names({})).toEqual(["always"]);
    expect(await names({ elicitation: {} })).toEqual(["always", "ask-user"]);
  });

  test("accepts a server that logs to standard output", async () => {
    const snapshot = await snapshotServer("chatty", fixture("chatty"));
    expect(snapshot.tools.length).toBeGreaterThan(0);
    expect(snapshot.diagnostics).toMatchObject([
      {
        code: "SERVER_NOISY",
        message: expect.stringMatching(/"chatty server listening on stdio"$/) as string,
      },
    ]);
    expect((await snapshotServer("quiet", fixture("chatty", "--banner", "no"))).diagnostics).toEqual([]);
  });
});

async function startServer(
  name: string,
  args: string[],
  transport: "http" | "sse" = "http",
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = await startFixture(name, { args, transport });
  return { url: server.url, [Symbol.asyncDispose]: () => server.close() };
}
