import * as fc from "fast-check";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findRounded } from "../../../src/core/exact-json.js";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { CassetteFile } from "../../../src/runtime/cassette/cassette-file.js";
import {
  answering,
  connectShop,
  newCassette,
  readFileOf,
  recorded,
  said,
  structured,
  unreachable,
} from "./make-tools.js";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import { defineServer } from "../../../src/runtime/tool.js";
import { fixtureCommand } from "../../servers/start-fixture.js";

const seed = Number(process.env["SEED"] ?? 20);

describe("replaying", () => {
  it(`answers 1,000 recorded calls in any order (SEED=${seed})`, async () => {
    const record = await newCassette();
    const values = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
    // Rounded numbers are not sent.
    const sendable = fc.dictionary(fc.string(), values).filter((args) => findRounded(args).length === 0);
    // Equal arguments are one call; the index makes the others differ.
    const calls = fc.sample(sendable, { numRuns: 1_000, seed }).map((args, index) => ({ ...args, index }));
    const answerOf = ({ index }: { readonly index?: unknown }): string => `answer ${String(index)}`;
    const live = connectShop({ record, client: answering((args) => said(answerOf(args))) });
    await Promise.all(calls.map((args) => live.find(args)));
    expect((await readFileOf(record, "shop/find.json")).calls).toHaveLength(1_000);
    const replayed = connectShop({ replay: record, client: unreachable });
    const shuffled = fc.shuffledSubarray(calls, { minLength: 1_000 });
    for (const args of fc.sample(shuffled, { numRuns: 1, seed }).flat()) {
      // Keys in another order, too.
      const reversed = Object.fromEntries(Object.entries(args).reverse());
      expect((await replayed.find(reversed)).text).toBe(answerOf(args));
    }
  });

  it("validates input and answers as a live call does", async () => {
    const record = await newCassette();
    await connectShop({ record, client: answering(() => structured({ id: "one" })) }).getPost.safe({ id: 1 });
    const { getPost } = connectShop({ replay: record, client: unreachable });
    expect(await getPost.safe({ id: 1 })).toMatchObject({ error: { code: "TOOL_INVALID_OUTPUT" } });
    const wrong = await getPost.safe({ id: "1" } as never);
    expect(wrong).toMatchObject({ error: { code: "TOOL_INVALID_INPUT" } });
  });

  it("needs no server and no variables, and reports events", async () => {
    const record = await newCassette();
    const client = answering(() => structured({ id: 1, title: "One" }));
    await connectShop({ record, client }).getPost({ id: 1 });
    const events: string[] = [];
    const settings = { url: "http://${CASSETTE_TEST_HOST}/mcp", auth: { bearer: "${CASSETTE_TEST_TOKEN}" } };
    const shop = connectShop({ replay: record, logger: (event) => events.push(event) }, settings);
    expect(await shop.getPost({ id: 1 })).toEqual({ id: 1, title: "One" });
    expect(events).toEqual(["tool.call.started", "tool.call.replayed", "tool.call.succeeded"]);
  });

  it("fails a call that was not recorded, and shows none of its secrets", async () => {
    const shop = connectShop({ replay: await recorded({ a: 1 }), client: unreachable });
    const result = await shop.find.safe({ a: 2, password: "hunter2" });
    const message = expect.stringMatching(
      /"password":"\[redacted\]".* differs in "a", "password"\. Pass/,
    ) as string;
    const error = { code: "CALL_NOT_RECORDED", retryable: false, tool: "find", server: "shop" };
    expect(result).toMatchObject({ error: { ...error, message } });
    expect(JSON.stringify(result)).not.toContain("hunter2");
  });

  it("fails a call that was aborted", async () => {
    const replay = await recorded({ q: 1 });
    const shop = connectShop({ replay, client: unreachable, signal: AbortSignal.abort() });
    const error = { message: 'The call of tool "find" was aborted.' };
    expect(await shop.find.safe({ q: 1 })).toMatchObject({ error });
  });
});

describe("mode", () => {
  const find = async (folder: string, mode: "once" | "new" | "all" | undefined, q: string) => {
    const client = answering(() => said("live"));
    const shop = connectShop({ replay: folder, client, ...(mode && { mode }) });
    const result = await shop.find.safe({ q });
    return [result.ok ? result.value.text : result.error.code, client.calls.length];
  };

  it("once records a cassette that has no calls, and replays one that has", async () => {
    const folder = await newCassette();
    expect(await find(folder, "once", "a")).toEqual(["live", 1]);
    // This process began the cassette, so it goes on.
    expect(await find(folder, "once", "b")).toEqual(["live", 1]);
    expect(await find(folder, "once", "a")).toEqual(["live", 0]);
    expect(await find(await recorded({ q: "x" }), "once", "a")).toEqual(["CALL_NOT_RECORDED", 0]);
  });

  it("new replays recorded calls and records others", async () => {
    const folder = await recorded({ q: "a" });
    expect(await find(folder, "new", "a")).toEqual(["", 0]);
    expect(await find(folder, "new", "b")).toEqual(["live", 1]);
    expect(await find(folder, undefined, "b")).toEqual(["live", 0]);
  });

  it("all makes every call and records it anew", async () => {
    const folder = await recorded({ q: "a" });
    expect(await find(folder, "all", "a")).toEqual(["live", 1]);
    expect(await find(folder, undefined, "a")).toEqual(["live", 0]);
  });

  it.each([
    ["new", "1"],
    ["all", "2"],
  ] as const)(
    "%s answers a call that another recorder added meanwhile with answer %s",
    async (mode, kept) => {
      const replay = await newCassette();
      let [begun, release] = [0, (): void => undefined];
      const bothBegan = new Promise<void>((resolve) => (release = resolve));
      // Neither call is recorded before both were made.
      const client = answering(async () => {
        const text = String(++begun);
        if (begun === 2) release();
        await bothBegan;
        return said(text);
      });
      const shops = [1, 2].map(() => connectShop({ replay, mode, client }));
      const both = await Promise.all(shops.map((shop) => shop.find({ q: 1 })));
      expect(both.map(({ text }) => text)).toEqual(["1", "2"]);
      expect((await connectShop({ replay, client: unreachable }).find({ q: 1 })).text).toBe(kept);
    },
  );

  it("fails where record and replay are both set", async () => {
    const folder = await newCassette();
    const shop = connectShop({ replay: folder, record: folder, client: unreachable });
    await expect(shop.find({})).rejects.toThrow('"record" and "replay" are both set.');
  });
});

describe("the calls of two branches", () => {
  /** Calls with their answers, such as "a1". */
  const recordEach = async (...script: readonly string[]): Promise<CassetteFile> => {
    const record = await newCassette();
    const answers = script.map(([, answer = ""]) => said(answer));
    const shop = connectShop({ record, client: answering(() => answers.shift()) });
    for (const [q] of script) await shop.find({ q });
    return readFileOf(record, "shop/find.json");
  };

  it("are merged: new ones of both, and equal answers once", async () => {
    const mine = await recordEach("a1", "a2", "b3");
    const yours = await recordEach("a1", "c4");
    const replay = await newCassette();
    await mkdir(join(replay, "shop"), { recursive: true });
    const merged = { ...mine, calls: [...yours.calls, ...mine.calls.toReversed()] };
    await writeFile(join(replay, "shop/find.json"), JSON.stringify(merged));
    const shop = connectShop({ replay, client: unreachable });
    const texts: string[] = [];
    for (const q of ["a", "a", "a", "b", "c"]) texts.push((await shop.find({ q })).text);
    expect(texts).toEqual(["1", "2", "2", "3", "4"]);
  });
});

describe("a file that cannot be used", () => {
  const call = { arguments: {}, result: { content: [] }, duration: 1 };
  const good = { cassetteVersion: 1, server: "shop", tool: "find", calls: [call] };
  const UNUSABLE: [what: string, content: unknown, message: string][] = [
    ["an edited call", { ...good, calls: [{ ...call, result: 5 }] }, '"shop/find.json" is invalid at 8:7: calls[0].result: expected an object.'],
    ["a call without an answer", { ...good, calls: [{ arguments: {}, duration: 1 }] }, 'expected either "result" or "error"'],
    ["a number of times that is not one", { ...good, calls: [{ ...call, times: 0 }] }, "calls[0].times: expected a whole number from 1"],
    ["another server", { ...good, server: "bank" }, '"shop/find.json" is invalid at 3:3: server: expected "shop", found "bank".'],
    ["another tool", { ...good, tool: "list" }, 'at 4:3: tool: expected "find", found "list"'],
    ["a later version", { ...good, cassetteVersion: 2 },
      '"shop/find.json" has cassetteVersion 2; this mcp-codegen reads up to 1. Run "npm install --save-dev mcp-codegen@latest".'],
    ["no version", { calls: [] }, "cassetteVersion: expected 1"],
    ["two answers to one call, which a merge of two branches left", { ...good, calls: [call, { ...call, result: { content: [], isError: true } }] },
      'is invalid at 13:5: calls[1]: line 6 has another answer to the same call; keep one of the two, or give the later one the next "n".'],
    ["two second answers to one call", { ...good, calls: [call, { ...call, n: 2 }, { ...call, n: 2, result: {} }] },
      "calls[2]: line 13 has another answer to the same call"],
    ["the number of a first answer", { ...good, calls: [{ ...call, n: 1 }] }, "calls[0].n: expected a whole number from 2"],
    ["a merge conflict", `{\n<<<<<<< HEAD\n}`, "is invalid at 2:1: merge conflict"],
    ["a missing comma", `{\n  "cassetteVersion": 1\n  "server": "shop"\n}`, 'is invalid at 3:3: expected "," or "}"'],
  ]; // prettier-ignore

  it.each(UNUSABLE)("%s", async (_, content, message) => {
    const replay = await newCassette();
    await mkdir(join(replay, "shop"), { recursive: true });
    const written = typeof content === "string" ? content : JSON.stringify(content, undefined, 2);
    await writeFile(join(replay, "shop/find.json"), written);
    const result = await connectShop({ replay, client: unreachable }).find.safe({});
    const error = { code: "TOOL_UNAVAILABLE", message: expect.stringContaining(message) as string };
    expect(result).toMatchObject({ error });
  });
});

describe("without a cassette of its own, a program", () => {
  const notRecorded = { error: { code: "CALL_NOT_RECORDED" } };
  afterEach(() => void vi.unstubAllEnvs());

  it("records its calls in that of MCP_CODEGEN_RECORD", async () => {
    const folder = await newCassette();
    vi.stubEnv("MCP_CODEGEN_RECORD", folder);
    await connectShop({ client: answering(() => ({ content: [] })) }).find({ q: 1 });
    const { find } = connectShop({ client: unreachable, replay: folder });
    expect(await find.safe({ q: 2 })).toMatchObject(notRecorded);
    expect((await readFileOf(folder, "shop/find.json")).calls).toMatchObject([{ arguments: { q: 1 } }]);
  });

  it("has the answers of that of MCP_CODEGEN_REPLAY, unless MCP_CODEGEN_RECORD is set", async () => {
    const folder = await recorded({ q: 1 });
    vi.stubEnv("MCP_CODEGEN_REPLAY", folder);
    const { find } = connectShop({ client: unreachable });
    expect(await find.safe({ q: 1 })).toMatchObject({ ok: true });
    expect(await find.safe({ q: 2 })).toMatchObject(notRecorded);
    vi.stubEnv("MCP_CODEGEN_RECORD", folder);
    expect(await find.safe({ q: 1 })).toMatchObject({ error: { code: "TOOL_UNAVAILABLE" } });
  });
});

describe("a registry", () => {
  it("records its calls, and replays them without asking servers for their tools", async () => {
    const folder = await newCassette();
    const shop = defineServer({ name: "shop", ...fixtureCommand("counting") });
    const live = createRegistry({ servers: [shop], record: folder });
    expect(await live.call("shop__read", { id: 7 })).toMatchObject({ value: { text: "read 7" } });
    expect((await readFileOf(folder, "shop/read.json")).calls).toHaveLength(1);
    await connectShop({ record: folder, client: answering(() => ({ content: [] })) }).find({ q: 1 });
    const { find, getPost } = connectShop({});
    const server = defineServer({ name: "shop", command: "/nowhere/at-all" });
    const replayed = createRegistry({
      servers: [Object.assign({ server }, { find, getPost })],
      replay: folder,
      onWarning: (message) => expect.unreachable(message),
    });
    expect((await replayed.getTools()).map(({ name }) => name)).toEqual(["shop__find", "shop__get-post"]);
    expect(await replayed.call("shop__find", { q: 1 })).toMatchObject({ ok: true });
    const error = { code: "CALL_NOT_RECORDED" };
    expect(await replayed.call("shop__find", { q: 2 })).toMatchObject({ error });
  });
});
