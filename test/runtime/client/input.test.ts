import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import type { InputAnswer, InputQuestion, OnInput, ServerDefinition } from "../../../src/runtime/index.js";
import { MOST_ROUNDS } from "../../../src/runtime/fail-call.js";
import { connectTools, defineTool } from "../../../src/codegen.js";
import { defineServer } from "../../../src/runtime/tool.js";
import { omitUndefined } from "../../../src/core/collections.js";
import type { ToolError, ConnectOptions, Logger } from "../../../src/core/call.js";
import { fixtureCommand } from "../../servers/start-fixture.js";
import { openFixture } from "../open-fixture.js";

const PLAN = {
  type: "object",
  properties: {
    plan: { type: "string", title: "Plan", enum: ["free", "pro"], default: "free" },
    seats: { type: "integer", minimum: 1, maximum: 5 },
  },
  required: ["plan"],
};
const WHICH = { params: { message: "Which plan?", requestedSchema: PLAN } };
const SIGN_IN = {
  params: { mode: "url", message: "Sign in.", url: "https://login.example.com/go?a=1", elicitationId: "e1" },
};
const PRO: InputAnswer = { action: "accept", values: { plan: "pro", seats: 2 } };

type Way = readonly [title: string, era: "legacy" | "modern", transport: "stdio" | "sse" | "http"];

/** The ways a session is spoken: each with the questions as the era sends them. */
const WAYS: readonly [Way, Way, ...Way[]] = [
  ["legacy stdio", "legacy", "stdio"],
  ["modern stdio", "modern", "stdio"],
  ["legacy HTTP, questions in the answer's stream", "legacy", "sse"],
  ["legacy HTTP, questions in the session's stream", "legacy", "http"],
  ["modern HTTP", "modern", "http"],
];
const ERAS: readonly Way[] = [WAYS[0], WAYS[1]];

interface Asked {
  /** Of the call, if it failed. */
  readonly error: ToolError | undefined;
  /** What the tool answered. */
  readonly answer: { readonly answers: readonly JsonValue[]; readonly clientCapabilities: JsonObject };
  readonly questions: readonly InputQuestion[];
  /** What the server received, in order. */
  readonly log: readonly { readonly [key: string]: JsonValue }[];
}

function connectAsks(settings: Partial<ServerDefinition>, options: ConnectOptions = {}) {
  const server = defineServer({ name: "asks", ...settings });
  const open = { server, input: z.looseObject({}), inputSchema: () => ({}) };
  const tools = { ask: defineTool({ ...open, name: "ask" }), log: defineTool({ ...open, name: "log" }) };
  return connectTools(server, tools, options);
}
/** A connection over stdio in the legacy era. */
const connectLegacy = (options?: ConnectOptions) => connectAsks(fixtureCommand("asks"), options);

/** Calls the tool "ask" of the fixture, and returns what each side saw. */
async function ask(
  [, era, transport]: Way,
  given: JsonObject,
  answer?: InputAnswer | OnInput,
  { capabilities, timeouts, ...options }: ConnectOptions & Partial<ServerDefinition> = {},
): Promise<Asked> {
  const args = ["--era", era, ...(transport === "sse" ? ["--answer", "sse"] : [])];
  const command = fixtureCommand("asks", ...args);
  const target = transport === "stdio" ? command : { url: (await openFixture("asks", { args })).url };
  const questions: InputQuestion[] = [];
  const onInput: OnInput = (question, context) => {
    questions.push(question);
    return typeof answer === "function" ? answer(question, context) : (answer ?? { action: "cancel" });
  };
  const settings = { ...target, ...omitUndefined({ capabilities, timeouts }) };
  await using tools = connectAsks(settings, { ...options, ...(answer !== undefined && { onInput }) });
  const result = await tools.ask.safe(given);
  const log = await tools.log({}, { signal: new AbortController().signal });
  return {
    error: result.ok ? undefined : result.error,
    answer: JSON.parse(result.ok ? result.value.text : "{}") as Asked["answer"],
    questions,
    log: JSON.parse(log.text) as Asked["log"],
  };
}

const containing = (words: string): string => expect.stringContaining(words) as string;

const FORM_QUESTION = {
  ...{ kind: "form", server: "asks", tool: "ask", message: "Which plan?", schema: PLAN },
  fields: [
    {
      ...{ name: "plan", title: "Plan", isRequired: true, type: "choice", default: "free" },
      choices: ["free", "pro"].map((value) => ({ value, title: value })),
    },
    { name: "seats", isRequired: false, type: "integer", minimum: 1, maximum: 5 },
  ],
};
const URL_QUESTION = {
  ...{ kind: "url", server: "asks", tool: "ask", message: "Sign in." },
  ...{ url: "https://login.example.com/go?a=1", host: "login.example.com" },
};
const ACCEPTED = { action: "accept", content: { plan: "pro", seats: 2 } };
const ROUNDS = { rounds: [{ one: WHICH }] };

describe.each(WAYS)("%s", (...way) => {
  test("several rounds, and two questions at once, which are shown one after another", async () => {
    const rounds = [{ one: WHICH, two: SIGN_IN }, { three: WHICH }];
    let open = 0;
    const { answer, questions } = await ask(way, { rounds }, async ({ kind }) => {
      open += 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(open).toBe(1);
      open -= 1;
      return kind === "form" ? PRO : { action: "decline" };
    });
    const answers = [{ one: ACCEPTED, two: { action: "decline" } }, { three: ACCEPTED }];
    expect(answer).toMatchObject({ answers, clientCapabilities: { elicitation: { form: {}, url: {} } } });
    expect(questions).toEqual([FORM_QUESTION, URL_QUESTION, FORM_QUESTION]);
  });

  // Without a handler, the session's stream is not read.
  test.skipIf(way[0].endsWith("session's stream"))(
    "without a handler, the call ends with the questions",
    async () => {
      const { error } = await ask(way, { rounds: [{ one: SIGN_IN }], strict: true });
      expect(error).toMatchObject({
        code: "INPUT_REQUIRED",
        retryable: false,
        message: 'Tool "ask" requires input, and the call has no onInput. The server asks: "Sign in."',
        questions: [URL_QUESTION],
      });
    },
  );
});

describe.each(ERAS)("%s", (...way) => {
  const [, era] = way;
  const elicitation = { form: {} };

  test.each<[string, OnInput | undefined, ServerDefinition["capabilities"], object]>([
    ["nothing without a handler", undefined, undefined, {}],
    ["what the configuration says", () => PRO, { elicitation }, { elicitation }],
  ])("the client declares %s", async (_what, onInput, capabilities, declared) => {
    const { answer } = await ask(way, {}, onInput, capabilities && { capabilities });
    expect(answer.clientCapabilities).toEqual(declared);
  });

  const gold: InputAnswer = { action: "accept", values: { plan: "gold" } };
  const fails = 'requires input: The terminal is gone. The server asks: "Which plan?"';
  test.each<[string, OnInput, message: string]>([
    ["an answer that does not fit", () => gold, "got an answer that does not fit its question: "],
    ["a handler that throws", () => Promise.reject(new Error("The terminal is gone.")), fails],
  ])("%s ends the call, and nothing is sent", async (_what, onInput, words) => {
    const { error, log } = await ask(way, ROUNDS, onInput);
    const message = containing(`Tool "ask" ${words}`);
    expect(error).toMatchObject({ code: "INPUT_REQUIRED", questions: [FORM_QUESTION], message });
    expect(JSON.stringify(log)).not.toMatch(/gold|accept/);
  });

  test("endless questions end", async () => {
    const rounds = Array.from({ length: 50 }, () => ({ one: WHICH }));
    const { error, questions } = await ask(way, { rounds, endless: true }, PRO);
    const message = containing(`asks for input more than ${MOST_ROUNDS} times`);
    expect(error).toMatchObject({ code: "INPUT_REQUIRED", message });
    expect(questions.filter(({ tool }) => tool === "ask")).toHaveLength(MOST_ROUNDS);
  });

  const refusedBy = (method: string): string => `This client does not support ${method}.`;
  const no = { requestedSchema: { type: "string" }, message: "What?" };
  test.each<[string, JsonObject, legacy: object, modern: object]>([
    [
      "that cannot be shown",
      { params: no },
      { code: -32602, message: containing("not an object") },
      { code: "TOOL_UNAVAILABLE", message: containing("not an object") },
    ],
    ...["sampling/createMessage", "roots/list"].map((method): [string, JsonObject, object, object] => [
      method,
      { method, params: {} },
      { code: -32601, message: refusedBy(method) },
      {
        code: "INPUT_REQUIRED",
        message: `Tool "ask" requires "${method}", which this client does not support.`,
      },
    ]),
  ])("a request %s is refused by name", async (_what, one, legacy, modern) => {
    const { answer, error, questions } = await ask(way, { rounds: [{ one }] }, PRO);
    if (era === "legacy") expect(answer.answers).toEqual([{ one: { error: legacy } }]);
    else expect(error).toMatchObject(modern);
    expect(questions).toEqual([]);
  });

  test("the time limit does not run while a person answers", async () => {
    const slow: OnInput = async () => {
      await new Promise((resolve) => setTimeout(resolve, 700));
      return PRO;
    };
    const { error } = await ask(way, ROUNDS, slow, { timeouts: { call: 500 } });
    expect(error).toBeUndefined();
  });

  test("an abort ends a call with an open question", async () => {
    const controller = new AbortController();
    const withdrawn = vi.fn();
    const onInput: OnInput = (_, { signal }) => {
      signal.addEventListener("abort", withdrawn);
      controller.abort();
      return new Promise(() => undefined);
    };
    const { error, log } = await ask(way, ROUNDS, onInput, { signal: controller.signal });
    const message = 'The call of tool "ask" was aborted.';
    expect(error).toMatchObject({ code: "TOOL_UNAVAILABLE", message });
    expect(withdrawn).toHaveBeenCalledOnce();
    expect(JSON.stringify(log)).not.toContain("accept");
  });
});

const LEGACY = WAYS.filter(([, era]) => era === "legacy");

describe("a question although nothing was declared", () => {
  test.each(LEGACY)("%s", async (...way) => {
    const timeouts = { call: way[2] === "http" ? 500 : 30_000 };
    const { error } = await ask(way, { ...ROUNDS, strict: true }, undefined, { timeouts });
    // Without a handler, nothing opens the stream of the session.
    const message = containing("did not answer tools/call within 500 ms");
    const late = { code: "TOOL_UNAVAILABLE", message };
    expect(error).toMatchObject(way[2] === "http" ? late : { code: "INPUT_REQUIRED" });
  });
});

describe("a server that asks as the other era does", () => {
  // Only a stream can carry a request of the server.
  const MODERN: Way[] = [WAYS[1], ["modern HTTP, in the answer's stream", "modern", "sse"]];
  test.each([...LEGACY, ...MODERN])("%s", async (...way) => {
    const { error, answer, questions } = await ask(way, { ...ROUNDS, otherEra: true }, PRO);
    const words = "input in a form that protocol version 2025-11-25 does not have.";
    const message = `Tool "ask" could not be called: The server requires ${words}`;
    if (way[1] === "legacy") expect(error).toMatchObject({ code: "TOOL_UNAVAILABLE", message });
    const refusal = { code: -32601, message: "This client does not support elicitation/create." };
    if (way[1] === "modern") expect(answer.answers).toEqual([{ one: { error: refusal } }]);
    expect(questions).toEqual([]);
  });
});

describe("legacy", () => {
  const way = WAYS[0];

  test("a question after the call has ended is refused", async () => {
    const onInput = vi.fn(() => PRO);
    await using tools = connectLegacy({ onInput });
    await tools.ask({ late: WHICH });
    // Past the question: while a call is open, it could be about that one.
    await new Promise((resolve) => setTimeout(resolve, 200));
    await expect.poll(async () => (await tools.log({})).text).toContain("-32600");
    expect(onInput).not.toHaveBeenCalled();
  });

  test("what the server asks for a call that was given up reaches no other handler", async () => {
    await using tools = connectLegacy();
    const controller = new AbortController();
    const aborting = (): InputAnswer => {
      controller.abort();
      return PRO;
    };
    const options = { signal: controller.signal, onInput: aborting };
    expect((await tools.ask.safe({ rounds: [{ one: WHICH }, { two: SIGN_IN }] }, options)).ok).toBe(false);
    const onInput = vi.fn(() => PRO);
    // In a session of its own, the server has no question left.
    await tools.ask({}, { onInput });
    expect((await tools.log({}, { onInput })).text).not.toContain("cancel");
    expect(onInput).not.toHaveBeenCalled();
  });

  test("after a refusal that the tool can live with, the call succeeds", async () => {
    expect((await ask(way, ROUNDS)).error).toBeUndefined();
  });

  test.each([
    ["a refusal", undefined, { code: "INPUT_REQUIRED", questions: [FORM_QUESTION] }],
    ["an answer", PRO, { code: "TOOL_UNAVAILABLE", message: containing("did not answer tools/call") }],
  ])("a tool that never answers after %s", async (_what, answer, expected) => {
    const { error } = await ask(way, { ...ROUNDS, silent: true }, answer, { timeouts: { call: 300 } });
    expect(error).toMatchObject(expected);
  });

  test("addresses that a call requires first are visited, and the call is sent again", async () => {
    const { error, questions, log } = await ask(way, { visit: [SIGN_IN.params] }, { action: "accept" });
    expect([error, questions, log.length]).toEqual([undefined, [URL_QUESTION], 2]);
  });

  test.each<[InputAnswer | undefined, message: string]>([
    [{ action: "decline" }, "requires input that was declined"],
    [{ action: "cancel" }, "requires input that was cancelled"],
    [undefined, "requires input, and the call has no onInput"],
  ])("with the answer %j to a visit, a call %s", async (answer, words) => {
    const { error } = await ask(way, { visit: [SIGN_IN.params] }, answer);
    const message = containing(words);
    expect(error).toMatchObject({ code: "INPUT_REQUIRED", questions: [URL_QUESTION], message });
  });

  test("a visit that the server reports as complete needs no answer", async () => {
    const withdrawn = vi.fn();
    const visited = await ask(way, { visit: [SIGN_IN.params], completes: true }, (_, { signal }) => {
      signal.addEventListener("abort", withdrawn);
      return new Promise(() => undefined);
    });
    expect(visited.error).toBeUndefined();
    expect(withdrawn).toHaveBeenCalledOnce();
  });

  test("a question that may belong to several calls names no tool", async () => {
    const onInput = vi.fn<OnInput>(() => PRO);
    await using tools = connectLegacy({ onInput });
    await Promise.all([tools.ask(ROUNDS), tools.ask(ROUNDS)]);
    expect(onInput.mock.calls.map(([{ tool }]) => tool)).toContain(undefined);
    // Somebody else must not answer.
    const other: OnInput = () => PRO;
    const texts = await Promise.all([tools.ask(ROUNDS), tools.ask(ROUNDS, { onInput: other })]);
    expect(texts.map(({ text }) => text).join()).toContain("Several calls are in progress");
  });

  test("a call with the first handler opens a session that declares it", async () => {
    await using tools = connectLegacy();
    expect((await tools.ask({})).text).toContain('"clientCapabilities":{}');
    const both = await Promise.all([tools.ask({}, { onInput: () => PRO }), tools.ask({})]);
    for (const { text } of both) expect(text).toContain('"elicitation":{"form":{},"url":{}}');
  });
});

describe("modern", () => {
  const way = WAYS[1];

  test("the state goes back unchanged with the answers to this round only, and into no event", async () => {
    const events: unknown[] = [];
    const logger: Logger = (event, fields) => fields["tool"] === "ask" && events.push([event, fields]);
    const options = { logger, logArguments: true, logResults: true };
    const { log } = await ask(way, { rounds: [{ one: WHICH }, { two: WHICH }] }, PRO, options);
    const roundOf = (state: unknown): unknown =>
      typeof state === "string" ? (JSON.parse(state) as JsonObject)["round"] : undefined;
    const received = log.map(({ requestState, inputResponses }) => [
      roundOf(requestState),
      ...Object.keys(inputResponses ?? {}),
    ]);
    expect(received).toEqual([[undefined], [1, "one"], [2, "two"]]);
    expect(JSON.stringify(events)).not.toContain("only the server reads this");
  });

  test.each([
    ["elicitation", 'Tool "ask" requires input, and the call has no onInput.'],
    ["sampling", 'Tool "ask" requires what this client does not support: sampling.'],
  ])("a call that needs the capability %s", async (name, message) => {
    const { error } = await ask(way, { needs: { [name]: {} } });
    expect(error).toMatchObject({ code: "INPUT_REQUIRED", message, questions: [] });
  });

  test("a round without questions is sent again", async () => {
    const { error, log } = await ask(way, { stateOnly: 2 }, PRO);
    expect(error).toBeUndefined();
    expect(log.map(({ inputResponses }) => inputResponses)).toEqual([undefined, undefined, undefined]);
  });

  test("more questions at once than a person should get", async () => {
    const round = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`q${at}`, WHICH]));
    const { error, questions } = await ask(way, { rounds: [round] }, PRO);
    expect([error?.code, questions]).toEqual(["INPUT_REQUIRED", []]);
  });
});
