/** How a call ends that the server answers with an error, or with a result that the tool does not have. */
import { inspect } from "node:util";
import { expect, test } from "vitest";
import * as z from "zod";
import type { CallOptions, ContentBlock } from "../../src/core/call.js";
import { type ErrorCode, McpCodegenError } from "../../src/core/errors.js";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import { throughAbility } from "../../src/runtime/abilities.js";
import type { ToolDefinition } from "../../src/codegen.js";
import { readToolResult } from "../../src/runtime/define-tool.js";
import { InputRequiredError, type Subject, toToolError } from "../../src/runtime/fail-call.js";
import { readContent } from "../../src/runtime/result.js";

const server = { name: "shop", url: "http://127.0.0.1:9", contract: "1.0.0" };
const tool: Subject = { server, name: "get" };
const unlocked: Subject = { ...tool, server: { name: "shop", url: server.url } };
const through = () => throughAbility("a/get");
const ability: Subject = { ...tool, through };
const prompt: Subject = { server, name: "p", kind: "prompt" };
const resource: Subject = { server, name: "a:b", kind: "resource" };
const sdk = (code: number, message: string, data?: JsonValue): Error =>
  Object.assign(new Error(message), { code, data });
const own = (rpcCode: number, rpcMessage: string): Error =>
  Object.assign(new McpCodegenError("PROTOCOL_INVALID", "x"), { rpcCode, rpcMessage });

const ours = (code: ErrorCode, hint?: string): Error => new McpCodegenError(code, "No.", { hint });
const lacking = (requiredCapabilities: JsonObject): Error => sdk(-32021, "No", { requiredCapabilities });
const contract = 'contract 1.0.0 of "shop". Run "npx mcp-codegen check shop"';
const unknown = (noun: string): string => `TOOL_NOT_FOUND The server does not know ${noun} of ${contract}.`;
const refused = (noun: string, message: string): string =>
  `TOOL_INVALID_INPUT The server refused the input of ${noun}: ${message}. If the types accept it, they are out of date: they are from ${contract}.`;
const failed = (noun: string, message: string): string => `TOOL_EXECUTION_FAILED ${noun} failed: ${message}`;
const invalid = 'TOOL_INVALID_OUTPUT The client refused the answer of tool "get": No structured content';
const unavailable = (message: string): string =>
  `TOOL_UNAVAILABLE Tool "get" could not be called: ${message}`;
const needs = 'INPUT_REQUIRED Tool "get" requires';

const ENDS: [subject: Subject, error: unknown, message: string, retryable?: boolean][] = [
  [tool, sdk(-32602, "Tool get not found"), unknown('tool "get"')],
  [ability, sdk(1, "Ability a/get not registered"), unknown('tool "get"')],
  [unlocked, sdk(1, "Unknown tool: get"), 'TOOL_NOT_FOUND The server does not know tool "get" of server "shop", which is not locked.'],
  [tool, sdk(-32602, "Tool other not found"), refused('tool "get"', "Tool other not found")],
  [tool, sdk(-32602, `Tool get not found${"!".repeat(284)}`), unknown('tool "get"')],
  [tool, sdk(1, `Tool get not found${"!".repeat(285)}`), failed('Tool "get"', `Tool get not found${"!".repeat(285)} (1)`)],
  [tool, sdk(-32601, "No"), failed('Tool "get"', "No (-32601)")],
  [prompt, sdk(-32601, "No"), unknown('prompt "p"')],
  [prompt, sdk(1, "Prompt p not found"), unknown('prompt "p"')],
  [prompt, sdk(-32002, "No"), failed('Prompt "p"', "No (-32002)")],
  [resource, sdk(-32002, "No"), unknown('resource "a:b"')],
  [resource, sdk(-32602, "No", { uri: "a:b" }), unknown('resource "a:b"')],
  [resource, sdk(-32602, "No", { uri: "a:b", at: 1 }), refused('resource "a:b"', "No")],
  [tool, sdk(-32000, "Closed"), unavailable("Closed"), true],
  [tool, own(-32000, "Closed"), failed('Tool "get"', "Closed (-32000)")],
  [tool, sdk(1, "No structured content"), invalid],
  [tool, own(1, "No structured content"), failed('Tool "get"', "No structured content (1)")],
  [tool, lacking({ elicitation: {} }), `${needs} input, and the call has no onInput.`],
  [tool, lacking({ a: {}, b: {} }), `${needs} what this client does not support: a, b.`],
  [tool, sdk(-32021, "No"), `${needs} what this client does not support: unknown capabilities.`],
  [tool, sdk(-32020, "No."), `CONTRACT_DRIFT The server refused the HTTP headers of tool "get": No. It may expect other parameters there than ${contract}.`],
  [tool, new InputRequiredError("asks", [], { issues: [{ message: "bad", path: ["a"] }] }), 'INPUT_REQUIRED Tool "get" asks: a: bad.'],
  [tool, new InputRequiredError("asks", [{ kind: "url", server: "shop", message: "Which?", url: "a:b", host: "" }]), 'INPUT_REQUIRED Tool "get" asks. The server asks: "Which?"'],
  [tool, Object.assign(new Error("No structured content"), { issues: [] }), invalid],
  [tool, ours("USAGE", "Do."), "TOOL_INVALID_INPUT No. Do."],
  [tool, ours("CALL_NOT_RECORDED"), "CALL_NOT_RECORDED No."],
  [tool, ours("CONFIG_INVALID"), unavailable("No.")],
  [tool, ours("SERVER_UNKNOWN"), unavailable("No.")],
  [tool, ours("SERVER_UNREACHABLE"), unavailable("No."), true],
  [prompt, new Error("No"), 'TOOL_UNAVAILABLE Prompt "p" could not be fetched: No', true],
  [tool, "No", unavailable("No"), true],
]; // prettier-ignore

test.each(ENDS.map((row) => [row[2], ...row] as const))("a call ends with %s", (_, ...row) => {
  const [subject, error, expected, isRetryable = false] = row;
  const { code, message, retryable } = toToolError(subject, error);
  expect([`${code} ${message}`, retryable]).toEqual([expected, isRetryable]);
});

const misfit = (what: string, plugin = "", environment = ""): string =>
  `The answer of tool "get" does not fit its output schema: ${what}.${plugin} Run "npx mcp-codegen check shop${environment}" to see whether the server left contract 1.0.0. If it breaks its own schema, pass { output: "warn" } with the call, or set servers.shop.validateOutput to "warn".`;
const text = (words: string): JsonObject => ({ content: [{ type: "text", text: words }] });
const structured = (value: JsonValue): JsonObject => ({ content: [], structuredContent: value });
const INVALID = "MCP error -32602: Input validation error: Invalid arguments for tool get: slug";
const outdated = (words: string): string =>
  `Tool "get" failed: ${words}. If the types accept it, they are out of date: they are from ${contract}.`;
const noNumber = "id: Invalid input: expected number, received string";
const numbered = z.object({ id: z.number() });

const ANSWERS: [raw: unknown, outcome: { value?: unknown; error?: string; warnings?: string[] }, options?: CallOptions, more?: Partial<ToolDefinition<unknown, unknown>>][] = [
  ["x", { error: misfit("it is not a tool result") }],
  [text("no"), { error: misfit("it holds no structured content and its text is not JSON") }],
  [text('{"id":1}'), { value: { id: 1 } }],
  [{ ...text("no"), structuredContent: null }, { value: null }, {}, { output: z.null() }],
  [{ ...text('{"id":1}'), structuredContent: null }, { value: { id: 1 } }],
  [structured({ id: "a" }), { error: misfit(noNumber) }],
  [structured({ id: "a" }), { error: misfit(noNumber, "", " --env live") }, { environment: "live" }],
  [structured({ id: "a" }), { value: { id: "a" }, warnings: [misfit(noNumber)] }, { output: "warn" }],
  [structured({ id: "a" }), { value: { id: "a" } }, { output: "off" }],
  [structured({ id: "a" }), { value: { id: "a" } }, {}, { server: { ...server, output: "off" } }],
  [structured({ id: "a" }), { error: misfit(noNumber) }, { output: "strict" }, { server: { ...server, output: "off" } }],
  [structured({ id: "a" }), { error: misfit(noNumber, ' The plugin "a" registers its schema, as ability "a/get".') }, {}, { through }],
  [structured({ id: "a" }), { error: misfit(noNumber, ' A plugin registers its schema in the category "posts".') }, {}, { dialect: "wordpress", category: "posts" }],
  [structured([]), { error: misfit("Invalid input: expected object, received array") }],
  [structured([]), { value: {} }, { output: "off" }],
  [structured([]), { value: [] }, { output: "off" }, { output: z.array(z.number()) }],
  [structured([]), { value: {} }, {}, { output: z.object({}) }],
  [{ ...text("Bad."), isError: true }, { error: 'Tool "get" failed: Bad.' }],
  [{ ...text("There is no post. Input validation error: slug"), isError: true }, { error: 'Tool "get" failed: There is no post. Input validation error: slug' }],
  [{ ...text(INVALID), isError: true }, { error: outdated(INVALID) }],
  [{ ...text("Input validation error: slug"), isError: true }, { error: outdated("Input validation error: slug") }],
  [{ content: [], isError: true }, { error: 'Tool "get" failed: it gives no reason' }],
  [{ ...text("Tool get not found"), isError: true }, { error: unknown('tool "get"').replace(/^\S+ /, "") }],
]; // prettier-ignore

test.each(ANSWERS)(
  "the answer %j becomes %j with %j",
  async (raw, { value, error, warnings = [] }, options, more) => {
    const warned: string[] = [];
    const onWarning = (message: string): unknown => warned.push(message);
    const definition = {
      server,
      name: "get",
      input: z.any(),
      inputSchema: () => ({}),
      output: numbered,
      ...more,
    };
    const result = await readToolResult<unknown>(definition, raw, { onWarning, ...options }, () => undefined);
    expect(result.ok ? { value: result.value } : { error: result.error.message }).toEqual(
      error === undefined ? { value } : { error },
    );
    expect(warned).toEqual(warnings);
  },
);

const blocks = (text: string): readonly ContentBlock[] => [
  { type: "text", text },
  { type: "image", data: "aGk=", mimeType: "image/png" },
];

// An answer with an observed type has its text nowhere else.
test.each([
  ["structured content", { content: blocks("See below."), structuredContent: { id: 1 } }, { id: 1 }, []],
  ["JSON as text", { content: blocks('{"id":1}') }, { id: 1 }, []],
  ["JSON of another type", { content: blocks('{"id":"a"}') }, { id: "a" }, ["tool.output.unobserved"]],
  ["a text", { content: blocks("No such order.") }, "No such order.", ["tool.output.unobserved"]],
] as const)("passes the blocks of %s to onContent once", async (_, raw, value, events) => {
  const seen: (readonly ContentBlock[])[] = [];
  const reported: string[] = [];
  const definition = {
    ...{ server, name: "get", observed: 3, input: z.any(), inputSchema: () => ({}), output: numbered },
  };
  const result = await readToolResult<unknown>(
    definition,
    raw,
    { onContent: (content) => void seen.push(content) },
    (event) => void reported.push(event),
  );
  expect(result).toEqual({ ok: true, value });
  expect(seen).toEqual([raw.content]);
  expect(reported).toEqual(events);
});

test("prints content as its text, or as its blocks without a text", () => {
  expect(inspect(readContent({ content: [{ type: "text", text: "See below." }] }))).toBe("See below.");
  expect(inspect(readContent({ content: [] }))).toBe("{ content: [] }");
});
