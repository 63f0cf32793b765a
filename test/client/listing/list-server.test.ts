import { describe, expect, test, vi } from "vitest";
import type { ServerSnapshot } from "../../../src/core/snapshot.js";
import type { ListedSettings } from "../../../src/client/listing/list-in-session.js";
import { type ListHooks, listServer } from "../../../src/client/listing/list-server.js";
import { openFixture } from "../../runtime/open-fixture.js";
import { fixtureCommand } from "../../servers/start-fixture.js";

async function list(settings: ListedSettings, hooks: ListHooks = {}): Promise<ServerSnapshot> {
  const context = { dir: ".", lookup: () => undefined };
  return (await listServer({ server: "s", settings }, context, hooks)).snapshot;
}
const listFixture = (...given: Parameters<typeof fixtureCommand>) => list(fixtureCommand(...given));
const namesOf = ({ tools }: ServerSnapshot): readonly string[] => tools.map(({ name }) => name);

describe("listServer", () => {
  test("reads every page, also after an empty cursor", async () => {
    const pages: string[] = [];
    const onPage = (page: number, tools: number): unknown => pages.push(`${page}:${tools}`);
    const snapshot = await list(fixtureCommand("paged"), { onPage });
    expect(snapshot.listing.pages).toBe(4);
    expect(pages).toHaveLength(4);
    expect(pages.at(-1)).toBe(`4:${snapshot.tools.length}`);
    expect(namesOf(snapshot)).toEqual(namesOf(snapshot).toSorted());
  });

  test.each([
    ["endless-cursor", [], 10_000, "has more than 10000 pages."],
    ["endless-cursor", ["--size", "8000000"], 9, "does not end within 64 MiB: it has 9 pages so far."],
    ["repeating-cursor", [], 3, "repeats a cursor after page 3."],
  ])("rejects the list of %s %j after %i pages: it %s", async (name, args, pages, words) => {
    const onPage = vi.fn();
    const error = { code: "LIST_INCOMPLETE", message: `The server's list of tools ${words}` };
    await expect(list(fixtureCommand(name, ...args), { onPage })).rejects.toMatchObject(error);
    expect(onPage).toHaveBeenCalledTimes(pages);
  });

  test("rejects a list that ends early", async () => {
    await expect(listFixture("dies-midway", "--at", "list")).rejects.toMatchObject({
      code: "LIST_INCOMPLETE",
    });
  });

  test("isolates unusable tools and keeps their definitions as sent", async () => {
    const { tools, unusable, diagnostics } = await listFixture("odd-schemas");
    expect(Object.keys(unusable)).toEqual([
      ...["boolean-root-false", "boolean-root-true", "input-array-root", "input-is-text", "input-missing"],
      ...["input-null", "input-string-root", "number-of-an-enum"],
    ]);
    expect(unusable["number-of-an-enum"]).toContain("12345678901234567890");
    const nameless = diagnostics.filter(({ tool }) => tool === "").map(({ message }) => message);
    expect(nameless).toEqual([
      ...[0, 1, 2].map((at) => `Entry ${at} of the list has no name.`),
      ...[3, 4, 5].map((at) => `Entry ${at} of the list is not an object.`),
    ]);
    const text = JSON.stringify(tools);
    expect(text).toContain('"maximum":"12345678901234567890"');
    expect(text).toContain('"maximum":"1e999"');
    expect(text).toContain('"properties":{"__proto__":{"type":"string"}');
    const kept = { "x-vendor": { b: 1, a: [null] }, _meta: { k: "v" } };
    expect(tools.find(({ name }) => name === "unknown-keys")).toMatchObject(kept);
  });

  test("keeps the first of two tools with one name", async () => {
    const snapshot = await listFixture("duplicate-names");
    expect(snapshot.diagnostics.map(({ code }) => code)).toEqual(["TOOL_DUPLICATE", "TOOL_DUPLICATE"]);
    expect(new Set(namesOf(snapshot)).size).toBe(snapshot.tools.length);
  });

  test("reads a list of 50 MB over stdio, and over HTTP as events", async () => {
    const args = ["--megabytes", "50"];
    expect((await listFixture("huge-list", ...args)).tools.length).toBeGreaterThan(1);
    const { url } = await openFixture("huge-list", { args: [...args, "--answer", "sse"] });
    expect((await list({ url })).tools.length).toBeGreaterThan(1);
  });

  test("falls back to legacy SSE", async () => {
    const { url } = await openFixture("paged", { transport: "sse" });
    expect((await list({ url })).listing.pages).toBe(4);
    await expect(list({ url, transport: "http" })).rejects.toMatchObject({ code: "SERVER_REFUSED" });
  });

  test.each([
    [{}, ["always"]],
    [{ elicitation: {} }, ["always", "ask-user"]],
  ])("declares the capabilities %j that the list depends on", async (capabilities, names) => {
    const snapshot = await list({ ...fixtureCommand("lists-by-capability"), capabilities });
    expect([snapshot.listing.clientCapabilities, namesOf(snapshot)]).toEqual([capabilities, names]);
  });

  test("accepts a server that logs to standard output", async () => {
    const { tools, diagnostics } = await listFixture("chatty");
    expect(tools.length).toBeGreaterThan(0);
    const message = expect.stringMatching(/"chatty server listening on stdio"$/) as string;
    expect(diagnostics).toMatchObject([{ code: "SERVER_NOISY", message }]);
    expect((await listFixture("chatty", "--banner", "no")).diagnostics).toEqual([]);
  });
});
