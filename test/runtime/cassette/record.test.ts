import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, test, vi } from "vitest";
import type { JsonValue } from "../../../src/core/json.js";
import { EMPTY_LOCK } from "../../../src/core/lockfile.js";
import { lockServer } from "../../../src/core/lock-server.js";
import { formatLockfile } from "../../../src/core/lockfile-text.js";
import { learnAnswer } from "../../../src/runtime/cassette/index.js";
import {
  answering,
  connectShop,
  newCassette,
  readCassette,
  readFileOf,
  said,
  structured,
  unreachable,
} from "./make-tools.js";
import { writeExactly } from "../../../src/core/exact-json.js";
import { connectTools, defineTool } from "../../../src/codegen.js";
import { defineServer } from "../../../src/runtime/tool.js";
import { makeFolder } from "../../temporary-folder.js";
import { fixtureCommand } from "../../servers/start-fixture.js";

describe("recording", () => {
  it("writes one file for each tool, sorted by arguments", async () => {
    const record = await newCassette();
    const client = answering((args) => structured({ id: args["id"], title: `Post ${String(args["id"])}` }));
    const shop = connectShop({ record, client });
    await shop.getPost({ id: 2 });
    await shop.getPost({ id: 1 });
    await shop.find({ z: 1, a: { c: 2, b: 1 } });
    const files = await readCassette(record);
    expect(Object.keys(files)).toEqual(["shop/find.json", "shop/get-post.json"]);
    const calls = [1, 2].map((id) => {
      const result = structured({ id, title: `Post ${id}` });
      return { arguments: { id }, result, duration: 7 };
    });
    const written = { cassetteVersion: 1, server: "shop", tool: "get-post", contract: "1.2.0", calls };
    expect(files["shop/get-post.json"]?.replace(/"duration": \d+/g, '"duration": 7')).toBe(
      `${JSON.stringify(written, undefined, 2)}\n`,
    );
    expect(files["shop/find.json"]).toMatch(/"a":[^]*"z":/);
  });

  it("writes what a terminal would act on as escapes, and replays it as it was", async () => {
    const record = await newCassette();
    const words = "a\u202Eb\u001B[31m\u200B\uD800 é 漢 ok";
    const client = answering(() => said(words));
    await connectShop({ record, client }).find({ q: words });
    const text = (await readCassette(record))["shop/find.json"] ?? "";
    for (const hidden of ["\u202E", "\u001B", "\u200B", "\uD800"]) expect(text).not.toContain(hidden);
    expect(text).toContain("é 漢 ok");
    const replayed = await connectShop({ replay: record, client: unreachable }).find({ q: words });
    expect(replayed.text).toBe(words);
  });

  it("records failures that a server answers with, and no lost connection", async () => {
    const record = await newCassette();
    const failing = answering(({ kind }) => {
      if (kind === "rpc") throw Object.assign(new Error("No such shop"), { code: -32050, data: { shop: 3 } });
      if (kind === "lost") throw new Error("socket hang up");
      return { isError: true, ...said("Sold out") };
    });
    const { find } = connectShop({ record, client: failing });
    const results = await Promise.all(["rpc", "tool", "lost"].map((kind) => find.safe({ kind })));
    const codes = ["TOOL_EXECUTION_FAILED", "TOOL_EXECUTION_FAILED", "TOOL_UNAVAILABLE"];
    expect(results).toMatchObject(codes.map((code) => ({ error: { code } })));
    expect((await readFileOf(record, "shop/find.json")).calls).toMatchObject([
      { arguments: { kind: "rpc" }, error: { code: -32050, message: "No such shop", data: { shop: 3 } } },
      { arguments: { kind: "tool" }, result: { isError: true } },
    ]);
    const replayed = connectShop({ replay: record, client: unreachable });
    const again = await Promise.all(["rpc", "tool"].map((kind) => replayed.find.safe({ kind })));
    const wordsOf = (result: (typeof results)[number]) =>
      result.ok || [result.error.code, result.error.message];
    expect(again.map(wordsOf)).toEqual(results.slice(0, 2).map(wordsOf));
  });

  it("never uses a tool's name as a path", async () => {
    const record = await newCassette();
    await connectShop({ record, client: answering(() => ({ content: [] })) }).hostile({});
    expect(Object.keys(await readCassette(dirname(record)))).toEqual([
      expect.stringMatching(/^checkout\/shop\/etc-passwd\.[0-9a-f]{8}\.json$/),
    ]);
  });

  it("does not record an answer of 20 MB, hands it over, and says so", async () => {
    const record = await newCassette();
    const image = { type: "image", mimeType: "image/png", data: "A".repeat(20_000_000) };
    const [onWarning, logger] = [vi.fn(), vi.fn()];
    const client = answering(() => ({ content: [image] }));
    const shop = connectShop({ record, client, onWarning, logger });
    expect((await shop.find({})).content).toEqual([image]);
    const reason = "arguments and answer have 19.1 MiB, and the limit is 1 MiB";
    expect(onWarning.mock.calls).toEqual([[`A call of tool "find" is not recorded: ${reason}.`]]);
    const fields = expect.objectContaining({ reason }) as object;
    expect(logger).toHaveBeenCalledWith("tool.call.not_recorded", fields);
    expect(await readCassette(dirname(record))).toEqual({});
  });

  it("warns and hands the answer over when the file cannot be written", async () => {
    const record = await newCassette();
    const onWarning = vi.fn();
    const client = answering(async () => {
      await writeFile(record, "a file where the folder should be");
      return said("fine");
    });
    expect((await connectShop({ record, client, onWarning }).find({})).text).toBe("fine");
    const words = /^A call of tool "find" is not recorded: "shop" cannot be created: .*[^.]\.$/;
    expect(onWarning.mock.calls).toEqual([[expect.stringMatching(words)]]);
  });

  it("refuses to overwrite an invalid file before anything is sent", async () => {
    const record = await newCassette();
    await mkdir(join(record, "shop"), { recursive: true });
    await writeFile(join(record, "shop/find.json"), "{\n  not json");
    const client = answering(() => ({ content: [] }));
    await expect(connectShop({ record, client }).find({})).rejects.toThrow(
      '"shop/find.json" is invalid at 2:3: ',
    );
    expect(client.calls).toEqual([]);
  });

  it("records calls that differ only in secrets once, with a warning", async () => {
    const record = await newCassette();
    const warnings: string[] = [];
    const client = answering(({ password }) => said(`for ${String(password).length}`));
    const shop = connectShop({ record, client, onWarning: (text) => warnings.push(text) });
    await shop.find({ password: "hunter2" });
    await shop.find({ password: "hunter22" });
    expect((await readFileOf(record, "shop/find.json")).calls).toMatchObject([
      { arguments: { password: "[redacted]" }, result: { content: [{ text: "for 7" }] } },
    ]);
    expect(warnings).toEqual([
      'A call of tool "find" is not recorded: it differs from a recorded call only in redacted values; if they are not secrets, set servers.shop.record.keep.',
    ]);
  });
});

it("learns the answers of tools that the lock has in this contract, without an output schema", async () => {
  const folder = await makeFolder();
  const tools = [{ name: "a" }, { name: "b", outputSchema: { type: "object" } }];
  const identity = { serverInfo: { name: "shop" }, protocolVersion: "2025-11-25", capabilities: {} };
  const listing = { clientCapabilities: {}, pages: 1 };
  const snapshot = { server: "shop", identity, listing, tools, unusable: {}, diagnostics: [] };
  const shop = lockServer(snapshot, undefined, { contract: "1.0.0", categoryOf: () => undefined });
  const lock = { ...EMPTY_LOCK, servers: { shop } };
  await writeFile(join(folder, "mcp-codegen.lock.json"), formatLockfile(lock));
  const file = join(folder, "mcp-codegen.observed.json");
  const of = { server: "shop", tool: "a", contract: "1.0.0" };
  const learn = (
    other: Partial<typeof of>,
    answer: JsonValue = { structuredContent: { n: 1 } },
  ): Promise<void> => learnAnswer(folder, { ...of, ...other }, answer);
  await learn({}, "text");
  for (const other of [{ tool: "b" }, { contract: "2.0.0" }, { server: "other" }]) await learn(other);
  await expect(readFile(file)).rejects.toMatchObject({ code: "ENOENT" });
  await Promise.all([learn({}), learn({})]);
  const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const a = { digest: shop.tools["a"]?.digest, samples: 2, answers: "structured", schema };
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ observedVersion: 1, servers: { shop: { a } } });
});

const server = defineServer({ name: "raw", ...fixtureCommand("raw-answers") });
const plain = defineTool({
  server,
  name: "plain",
  annotations: { readOnlyHint: true },
  input: { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } },
  inputSchema: () => ({ type: "object" }),
});

test.each([
  ["an answer", '{"Id":1234567890123456789,"big":1e400}'],
  ["an answer with a secret", '{"Id":1234567890123456789,"big":1e400,"password":"hunter22"}'],
])("a cassette keeps the digits of %s, in its data and in its text", async (_, json) => {
  const record = await newCassette();
  const warnings: string[] = [];
  const onWarning = (message: string): void => void warnings.push(message);
  const text = JSON.stringify(json);
  const input = { raw: `{"content":[{"type":"text","text":${text}}],"structuredContent":${json}}` };
  await using live = connectTools(server, { plain }, { record, onWarning });
  await live.plain(input);
  const file = await readFile(join(record, "raw/plain.json"), "utf8");
  expect(file).toContain('"Id": 1234567890123456789');
  expect(file).toContain('"big": 1e400');
  expect(file).toContain('"text": "{\\"Id\\":1234567890123456789,\\"big\\":1e400');
  const replayed = connectTools(server, { plain }, { replay: record, onWarning });
  const { structuredContent } = (await replayed.plain(input)) as { structuredContent?: unknown };
  expect(writeExactly(structuredContent)).toContain('{"Id":1234567890123456789,"big":1e400');
  expect(warnings).toEqual(Array(2).fill(expect.stringContaining('at "/Id", "/big".')));
});
