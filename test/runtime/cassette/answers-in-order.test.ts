/** Equal calls with different answers: read, change, read; and polling. */
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { defineServer, type CallOptions } from "../../../src/runtime/index.js";
import { lockedTool } from "../../agent/registry/fake-server.js";
import {
  answering,
  connectShop,
  newCassette,
  readCassette,
  readFileOf,
  said,
  unreachable,
} from "./make-tools.js";
import { runs } from "../../sample.js";

/** Answers each query with its own list of texts, in order; the last one repeats. */
function scripted(script: Readonly<Record<string, readonly string[]>>) {
  const left = new Map(Object.entries(script).map(([q, answers]) => [q, [...answers]]));
  return answering(({ q }) => {
    const answers = left.get(String(q)) ?? [];
    return said((answers.length > 1 ? answers.shift() : answers[0]) ?? "");
  });
}

/** What one connection is answered to queries, one after another. */
async function ask(options: CallOptions, queries: readonly string[]): Promise<readonly string[]> {
  const shop = connectShop(options);
  const answers: string[] = [];
  for (const q of queries) answers.push((await shop.find({ q })).text);
  return answers;
}

/** What a connection is answered without a server. */
const replayed = (replay: string, queries: readonly string[]) =>
  ask({ replay, client: unreachable }, queries);

describe("equal calls", () => {
  it("have their answers in the order of recording, and the last one repeats", async () => {
    const record = await newCassette();
    const queries = ["a", "b", "a", "a", "a"];
    const client = scripted({ a: ["old", "old", "new"], b: ["x"] });
    expect(await ask({ record, client }, queries)).toEqual(["old", "x", "old", "new", "new"]);
    expect((await readFileOf(record, "shop/find.json")).calls).toMatchObject([
      { arguments: { q: "a" }, result: said("old"), times: 2 },
      { arguments: { q: "a" }, n: 2, result: said("new") },
      { arguments: { q: "b" }, result: said("x") },
    ]);
    expect(await replayed(record, [...queries, "a"])).toEqual(["old", "x", "old", "new", "new", "new"]);
    // Another connection begins again.
    expect(await replayed(record, ["a"])).toEqual(["old"]);
  });

  const seed = Math.floor(Math.random() * 2 ** 31);
  it(`are replayed as they were recorded, in every mode (SEED=${seed})`, async () => {
    const query = fc.constantFrom("a", "b");
    const answers = fc.array(fc.constantFrom("1", "2", "3"), { minLength: 1, maxLength: 6 });
    const mode = fc.constantFrom<CallOptions>({ mode: "all" }, { mode: "once" }, { mode: "new" });
    await fc.assert(
      fc.asyncProperty(
        fc.array(query, { minLength: 1, maxLength: 12 }),
        fc.record({ a: answers, b: answers }),
        mode,
        async (queries, script, options) => {
          const replay = await newCassette();
          const recorded = await ask({ replay, ...options, client: scripted(script) }, queries);
          const live = await ask({ replay: "", client: scripted(script) }, queries);
          expect(recorded).toEqual(live);
          const bytes = await readCassette(replay);
          expect(await replayed(replay, queries)).toEqual(live);
          // Recorded again, the file is the same but for what took another time.
          await ask({ record: replay, client: scripted(script) }, queries);
          expect(await readCassette(replay)).toEqual(bytes);
        },
      ),
      { numRuns: runs(60, 3), seed },
    );
  });

  it("that run at the same time have their answers in the order in which they were made", async () => {
    const record = await newCassette();
    const waiting: ((answer: object) => void)[] = [];
    const client = { callTool: () => new Promise((resolve) => waiting.push(resolve)) };
    const shop = connectShop({ record, client });
    const both = Promise.all([shop.find({ q: "a" }), shop.find({ q: "a" })]);
    await expect.poll(() => waiting.length).toBe(2);
    waiting[1]?.(said("second"));
    await expect.poll(() => readCassette(record).catch(() => ({}))).toHaveProperty(["shop/find.json"]);
    waiting[0]?.(said("first"));
    await both;
    expect(await replayed(record, ["a", "a"])).toEqual(["first", "second"]);
  });

  it("of an earlier run are replaced by those of the next one", async () => {
    const record = await newCassette();
    await ask({ record, client: scripted({ a: ["1", "2", "3"], b: ["x"] }) }, ["a", "a", "a", "b"]);
    const onWarning = vi.fn();
    await ask({ record, client: scripted({ a: ["4", "5"] }), onWarning }, ["a", "a"]);
    expect(await replayed(record, ["a", "a", "a", "b"])).toEqual(["4", "5", "5", "x"]);
    // In one program, the other connection's replay is now another one.
    const words = /^Recorded answers are replaced: .* \(tool "find"\)$/;
    expect(onWarning).toHaveBeenCalledWith(expect.stringMatching(words));
  });

  it("of another connection that begin alike stay, without a warning", async () => {
    const record = await newCassette();
    const onWarning = vi.fn();
    await ask({ record, onWarning, client: scripted({ a: ["1", "2"] }) }, ["a", "a"]);
    await ask({ record, onWarning, client: scripted({ a: ["1"] }) }, ["a"]);
    expect(await replayed(record, ["a", "a"])).toEqual(["1", "2"]);
    expect(onWarning).not.toHaveBeenCalled();
  });

  it("report which answer it is", async () => {
    const record = await newCassette();
    const events: unknown[] = [];
    const logger = (event: string, { answer }: { readonly answer?: unknown }): void => {
      if (event === "tool.call.recorded") events.push(answer);
    };
    await ask({ record, logger, client: scripted({ a: ["1", "2"] }) }, ["a", "a"]);
    expect(events).toEqual([undefined, 2]);
  });

  it("of functions without a connection have their answers in order too", async () => {
    const record = await newCassette();
    const live = { record, client: scripted({ a: ["old", "new"] }) };
    for (const options of [live, { replay: record, client: unreachable }]) {
      const find = lockedTool(defineServer({ name: "shop" }), "find");
      for (const words of ["old", "new"]) expect((await find({ q: "a" }, options)).text).toBe(words);
    }
  });
});
