import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioClientTransportV2 } from "@modelcontextprotocol/client/stdio";
import { connectTools, defineTool } from "../../src/codegen.js";
import { defineServer } from "../../src/runtime/tool.js";
import type { ServerDefinition } from "../../src/runtime/index.js";
import { programOf } from "../servers/start-everything.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { openFixture } from "./open-fixture.js";

const EVERYTHING = { command: process.execPath, args: [programOf("everything"), "stdio"] };
const containing = (words: string): string => expect.stringContaining(words) as string;

function toolsOf(settings: Partial<ServerDefinition>) {
  const server = defineServer({ name: "everything", contract: "1.2.0", ...settings });
  const open = { server, input: z.looseObject({}), inputSchema: () => ({}) };
  const tool = (name: string) => defineTool({ ...open, name });
  const judged = <O>(name: string, output: z.ZodType<O>) => defineTool({ ...open, name, output });
  return { server, tool, judged };
}
const weatherOf = (settings: Partial<ServerDefinition>) =>
  toolsOf(settings).judged("structured-mismatch", z.looseObject({ celsius: z.number() }));

describe("a real server", () => {
  test("answers over a connection that the first call opens", async () => {
    const { server, tool, judged } = toolsOf(EVERYTHING);
    const wrappers = {
      getSum: tool("get-sum"),
      getWeather: judged("get-structured-content", z.looseObject({ conditions: z.string() })),
      getTinyImage: tool("get-tiny-image"),
    };
    await using tools = connectTools(server, wrappers);
    const [sum, weather] = await Promise.all([
      tools.getSum({ a: 1, b: 2, note: undefined }),
      tools.getWeather({ location: "Chicago" }),
    ]);
    expect(sum.text).toContain("3");
    expect(weather.conditions).toEqual(expect.any(String));
    expect((await tools.getTinyImage({})).content.map(({ type }) => type)).toContain("image");
    expect(Object.keys(tools)).toEqual(Object.keys(wrappers));
  });

  test.each([
    ["gone", "TOOL_NOT_FOUND", 'Run "npx mcp-codegen check everything --env next"'],
    ["simulate-research-query", "TOOL_EXECUTION_FAILED", "requires task"],
  ])("refuses the tool %s: %s", async (name, code, words) => {
    const { server, tool } = toolsOf({ ...EVERYTHING, environments: { next: {} } });
    await using tools = connectTools(server, { call: tool(name) }, { environment: "next" });
    const error = { code, retryable: false, message: containing(words) };
    expect(await tools.call.safe({ topic: "locks" })).toMatchObject({ error });
  });
});

describe("a client of the user's own", () => {
  test("is not waited for after an abort or a time-out", async () => {
    const client = { callTool: () => new Promise<never>(() => undefined) };
    const getSum = toolsOf({}).tool("get-sum");
    const aborted = { error: { message: 'The call of tool "get-sum" was aborted.' } };
    for (const timeout of [undefined, 9_000]) {
      const signal = AbortSignal.timeout(20);
      expect(await getSum.safe({}, { client, timeout, signal })).toMatchObject(aborted);
    }
    const error = { message: containing("did not answer within 20 ms"), retryable: true };
    expect(await getSum.safe({}, { client, timeout: 20 })).toMatchObject({ error });
  });

  test("of the SDK's version 2", async () => {
    const client = new ClientV2({ name: "test", version: "1.0.0" });
    await client.connect(new StdioClientTransportV2(EVERYTHING));
    const { tool, judged } = toolsOf({});
    expect((await tool("get-sum")({ a: 1, b: 2 }, { client })).text).toContain("3");
    const weather = judged("get-structured-content", z.looseObject({ temperature: z.number() }));
    expect((await weather({ location: "Chicago" }, { client })).temperature).toEqual(expect.any(Number));
    expect(await tool("gone").safe({}, { client })).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
  });
});

describe("answers", () => {
  test("keep every block, parse no text on their own, and are judged", async () => {
    const rich = fixtureCommand("rich-content");
    const { tool } = toolsOf(rich);
    const mixed = await tool("mixed")({});
    expect(mixed.text).toBe("first\nsecond");
    expect(mixed.content.map((block) => block.type)).toEqual(["text", "image", "text"]);
    const json = await tool("text-that-looks-like-json")({});
    expect([json.text, json.json()]).toEqual(['{"celsius":21}', { celsius: 21 }]);
    for (const name of ["audio", "link", "embedded", "unknown-block"])
      expect((await tool(name)({})).content).toHaveLength(1);
    for (const name of ["nothing", "no-content-key"])
      expect(await tool(name)({})).toMatchObject({ text: "", content: [] });
    expect((await tool("structured-undeclared")({})).structuredContent).toEqual({ celsius: 21 });
    const cause = { structuredContent: { code: "offline" } };
    expect(await tool("error-structured").safe({})).toMatchObject({ error: { cause } });
    const misfit = { code: "TOOL_INVALID_OUTPUT", issues: [{ path: ["celsius"] }] };
    expect(await weatherOf(rich).safe({})).toMatchObject({ error: misfit });
  });

  const full = new Error("The log is full");
  const throwIt = (): never => {
    throw full;
  };

  test.each<[what: string, fail: () => void]>([
    ["throw", throwIt],
    ["reject", () => Promise.reject(full)],
  ])(
    "are returned although the functions of the program %s, since the tool did its work",
    async (_what, fail) => {
      const warnings: string[] = [];
      const listener = ({ message }: Error): void => void warnings.push(message);
      process.on("warning", listener);
      onTestFinished(() => void process.off("warning", listener));
      const options = { onContent: fail, onWarning: fail, logger: fail, changes: { record: fail } };
      const tool = weatherOf(fixtureCommand("rich-content"));
      const result = await tool.safe({}, { ...options, output: "warn" });
      expect(result).toEqual({ ok: true, value: { celsius: "warm" } });
      await vi.waitUntil(() => warnings.length === 3);
      expect(warnings.map((each) => each.split(":")[0]).sort()).toEqual([
        'A call of tool "structured-mismatch" could not be recorded',
        'The answer of tool "structured-mismatch" does not fit its output schema',
        'onContent of a call of tool "structured-mismatch" failed',
      ]);
      for (const each of warnings) expect(each).toMatch(/ \(onWarning failed: The log is full\)$/);
    },
  );
});

describe("connections", () => {
  test("of another origin inherit no credentials", async () => {
    const { url } = await openFixture("rich-content", { args: ["--bearer", "s3cret-token"] });
    const bearer = { value: "s3cret-token", public: true } as const;
    const mixed = toolsOf({ url, auth: { bearer } }).tool("mixed");
    expect((await mixed({})).text).toBe("first\nsecond");
    expect((await mixed({}, { url: `${url}?again` })).text).toBe("first\nsecond");
    const elsewhere = await mixed.safe({}, { url: url.replace("127.0.0.1", "localhost") });
    expect(elsewhere).toMatchObject({ error: { code: "TOOL_UNAVAILABLE" } });
    const wrong = await mixed.safe({}, { auth: { bearer: { value: "wr0ng-token", public: true } } });
    expect(wrong).toMatchObject({ ok: false, error: { message: containing("refused the credentials") } });
    expect(JSON.stringify(wrong)).not.toContain("wr0ng-token");
  });

  test.each([
    ["the option of a call", {}, {}, { timeout: 50 }, "the option timeout"],
    ["the option of a connection", {}, { timeout: 50 }, {}, "the option timeout"],
    ["an option below the setting", { call: 9_000 }, {}, { timeout: 50 }, "the option timeout"],
    ["the setting", { call: 50 }, {}, {}, "timeouts.call"],
  ])("a time-out by %s names what limits the time", async (_, timeouts, bound, given, limitedBy) => {
    const command = fixtureCommand("slow", "--at", "call", "--delay", "60000");
    const { server, tool } = toolsOf({ ...command, timeouts });
    await using tools = connectTools(server, { wait: tool("wait") }, bound);
    const message = containing(`Raise ${limitedBy} if it needs longer.`);
    expect(await tools.wait.safe({}, given)).toMatchObject({ error: { message } });
  });
});
