import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioClientTransportV2 } from "@modelcontextprotocol/client/stdio";
import { connectTools, defineTool } from "../../src/codegen.js";
import { defineServer } from "../../src/runtime/tool.js";
import type { ServerDefinition } from "../../src/runtime/index.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { openFixture } from "./open-fixture.js";

const everythingPath = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
);
const EVERYTHING = { command: process.execPath, args: [everythingPath, "stdio"] };

function everything(settings: Partial<ServerDefinition> = EVERYTHING): ServerDefinition {
  return defineServer({ name: "everything", contract: "1.2.0", ...settings });
}

const SumInput = z.looseObject({ a: z.number(), b: z.number(), note: z.string().optional() });
const weather = {
  name: "get-structured-content",
  input: z.strictObject({ location: z.enum(["New York", "Chicago", "Los Angeles"]) }),
  output: z.looseObject({ temperature: z.number(), conditions: z.string(), humidity: z.number() }),
  inputSchema: () => ({}),
};

function toolsOf(server: ServerDefinition) {
  return {
    getSum: defineTool({ server, name: "get-sum", input: SumInput, inputSchema: () => ({}) }),
    getStructuredContent: defineTool({ server, ...weather }),
    getTinyImage: textTool("get-tiny-image", server),
    gone: textTool("gone", server),
  };
}

const containing = (words: string): string => expect.stringContaining(words) as string;

describe("a real server", () => {
  test("answers over a connection that the first call opens", async () => {
    const server = everything();
    await using tools = connectTools(server, toolsOf(server));
    const [sum, weather] = await Promise.all([
      tools.getSum({ a: 1, b: 2, note: undefined }),
      tools.getStructuredContent({ location: "Chicago" }),
    ]);
    expect(sum.text).toContain("3");
    expect(weather.conditions).toEqual(expect.any(String));
    const image = await tools.getTinyImage({});
    expect(image.content.map((block) => block.type)).toContain("image");
    expect(Object.keys(tools)).toEqual(Object.keys(toolsOf(server)));
  });

  test("names contract and command when a tool is gone", async () => {
    const server = everything({ ...EVERYTHING, environments: { next: {} } });
    await using next = connectTools(server, toolsOf(server), { environment: "next" });
    const message = containing('contract 1.2.0 of "everything". Run "npx mcp-codegen check everything --env next"'); // prettier-ignore
    const error = { code: "TOOL_NOT_FOUND", retryable: false, message };
    expect(await next.gone.safe({})).toMatchObject({ ok: false, error });
  });

  test("refuses calls of a tool that must run as a task", async () => {
    const server = everything();
    await using tools = connectTools(server, { task: textTool("simulate-research-query", server) });
    const error = { code: "TOOL_EXECUTION_FAILED", message: containing("requires task") };
    expect(await tools.task.safe({ topic: "locks" })).toMatchObject({ error });
  });
});

describe("a client of the user's own", () => {
  test("is not waited for after an abort or a time-out", async () => {
    const client = { callTool: () => new Promise<never>(() => undefined) };
    const { getSum } = toolsOf(everything({}));
    for (const timeout of [undefined, 9_000]) {
      const signal = AbortSignal.timeout(20);
      const stopped = await getSum.safe({ a: 1, b: 2 }, { client, timeout, signal });
      expect(stopped).toMatchObject({ error: { message: 'The call of tool "get-sum" was aborted.' } });
    }
    const late = { message: containing("did not answer within 20 ms"), retryable: true };
    expect(await getSum.safe({ a: 1, b: 2 }, { client, timeout: 20 })).toMatchObject({ error: late });
  });

  test("of the SDK's version 2", async () => {
    const client = new ClientV2({ name: "test", version: "1.0.0" });
    await client.connect(new StdioClientTransportV2(EVERYTHING));
    const { getSum, getStructuredContent, gone } = toolsOf(everything({}));
    expect((await getSum({ a: 1, b: 2 }, { client })).text).toContain("3");
    const weather = await getStructuredContent({ location: "Chicago" }, { client });
    expect(weather.temperature).toEqual(expect.any(Number));
    expect(await gone.safe({}, { client })).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
  });
});

const RichOutput = z.looseObject({ celsius: z.number(), note: z.string().optional() });

function textTool(name: string, server: ServerDefinition) {
  return defineTool({ server, name, input: z.looseObject({}), inputSchema: () => ({}) });
}

function weatherTool(name: string, server: ServerDefinition) {
  return defineTool({ server, name, input: z.looseObject({}), output: RichOutput, inputSchema: () => ({}) });
}

describe("answers", () => {
  const server = defineServer({ name: "rich", contract: "2.0.0", ...fixtureCommand("rich-content") });

  test("keep every block, parse no text on their own, and are judged", async () => {
    const mixed = await textTool("mixed", server)({});
    expect(mixed.text).toBe("first\nsecond");
    expect(mixed.content.map((block) => block.type)).toEqual(["text", "image", "text"]);
    const json = await textTool("text-that-looks-like-json", server)({});
    expect(json.text).toBe('{"celsius":21}');
    expect(json.json()).toEqual({ celsius: 21 });
    for (const name of ["audio", "link", "embedded", "unknown-block"]) {
      expect((await textTool(name, server)({})).content).toHaveLength(1);
    }
    for (const name of ["nothing", "no-content-key"]) {
      expect(await textTool(name, server)({})).toMatchObject({ text: "", content: [] });
    }
    const undeclared = await textTool("structured-undeclared", server)({});
    expect(undeclared.structuredContent).toEqual({ celsius: 21 });
    const cause = { structuredContent: { code: "offline" } };
    expect(await textTool("error-structured", server).safe({})).toMatchObject({ error: { cause } });
    const misfit = { code: "TOOL_INVALID_OUTPUT", issues: [{ path: ["celsius"] }] };
    expect(await weatherTool("structured-mismatch", server).safe({})).toMatchObject({ error: misfit });
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
      const tool = weatherTool("structured-mismatch", server);
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
    const fixture = await openFixture("rich-content", { args: ["--bearer", "s3cret-token"] });
    const { url } = fixture;
    const auth = { bearer: { value: "s3cret-token", public: true } } as const;
    const server = defineServer({ name: "guarded", contract: "1.0.0", url, auth });
    const tool = textTool("mixed", server);
    expect((await tool({})).text).toBe("first\nsecond");
    expect((await tool({}, { url: `${fixture.url}?again` })).text).toBe("first\nsecond");
    const elsewhere = await tool.safe({}, { url: fixture.url.replace("127.0.0.1", "localhost") });
    expect(elsewhere).toMatchObject({ error: { code: "TOOL_UNAVAILABLE" } });
    const wrong = await tool.safe({}, { auth: { bearer: { value: "wr0ng-token", public: true } } });
    expect(!wrong.ok && wrong.error.message).toContain("refused the credentials");
    expect(JSON.stringify(wrong)).not.toContain("wr0ng-token");
  });

  test.each([
    ["the option of a call", {}, {}, { timeout: 50 }, "the option timeout"],
    ["the option of a connection", {}, { timeout: 50 }, {}, "the option timeout"],
    ["an option below the setting", { call: 9_000 }, {}, { timeout: 50 }, "the option timeout"],
    ["the setting", { call: 50 }, {}, {}, "timeouts.call"],
  ])("a time-out by %s names what limits the time", async (_, timeouts, bound, given, limitedBy) => {
    const command = fixtureCommand("slow", "--at", "call", "--delay", "60000");
    const server = defineServer({ name: "slow", contract: "1.0.0", ...command, timeouts });
    await using tools = connectTools(server, { wait: textTool("wait", server) }, bound);
    const { error } = (await tools.wait.safe({}, given)) as { error: { message: string } };
    expect(error.message).toContain(`Raise ${limitedBy} if it needs longer.`);
  });
});
