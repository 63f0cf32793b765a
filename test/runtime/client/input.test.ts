import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import type { InputAnswer, InputQuestion, OnInput, ServerDefinition } from "../../../src/runtime/index.js";
import { MOST_ROUNDS } from "../../../src/runtime/fail-call.js";
import { connectTools, defineTool } from "../../../src/codegen.js";
import { defineServer } from "../../../src/runtime/tool.js";
import type { Result, ToolContent, ConnectOptions, Logger } from "../../../src/core/call.js";
import { fixtureCommand, startFixture } from "../../servers/start-fixture.js";

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
  readonly result: Result<ToolContent>;
  /** What the tool answered. */
  readonly answer: { readonly answers: readonly JsonValue[]; readonly clientCapabilities: JsonObject };
  readonly questions: readonly InputQuestion[];
  /** What the server received, in order. */
  readonly log: readonly { readonly [key: string]: JsonValue }[];
}

function toolsOf(server: ServerDefinition) {
  const open = { server, input: z.looseObject({}), inputSchema: () => ({}) };
  return { ask: defineTool({ ...open, name: "ask" }), log: defineTool({ ...open, name: "log" }) };
}

/** Calls the tool "ask" of the fixture, and returns what each side saw. */
async function ask(
  way: Way,
  given: JsonObject,
  answer?: InputAnswer | OnInput,
  more: ConnectOptions & Partial<ServerDefinition> = {},
): Promise<Asked> {
  const [, era, transport] = way;
  const args = ["--era", era, ...(transport === "sse" ? ["--answer", "sse"] : [])];
  const fixture = transport === "stdio" ? undefined : await startFixture("asks", { args });
  const { capabilities, timeouts, ...options } = more;
  const server = defineServer({
    name: "asks",
    ...(fixture === undefined ? fixtureCommand("asks", ...args) : { url: fixture.url }),
    ...(capabilities && { capabilities }),
    ...(timeouts && { timeouts }),
  });
  const questions: InputQuestion[] = [];
  const onInput: OnInput = (question, context) => {
    questions.push(question);
    return typeof answer === "function" ? answer(question, context) : (answer ?? { action: "cancel" });
  };
  const tools = connectTools(server, toolsOf(server), {
    ...options,
    ...(answer !== undefined && { onInput }),
  });
  try {
    const result = await tools.ask.safe(given);
    const log = await tools.log({}, { signal: new AbortController().signal });
    const text = result.ok ? result.value.text : "{}";
    return {
      result,
      answer: JSON.parse(text) as Asked["answer"],
      questions,
      log: JSON.parse(log.text) as Asked["log"],
    };
  } finally {
    await tools.close();
    await fixture?.close();
  }
}

function errorOf({ result }: Asked) {
  if (result.ok) throw new Error(`The call succeeded: ${result.value.text}`);
  return result.error;
}

/** A connection over stdio in the legacy era. */
function connectAsks(options: ConnectOptions = {}) {
  const server = defineServer({ name: "asks", ...fixtureCommand("asks") });
  return connectTools(server, toolsOf(server), options);
}

const containing = (words: string): string => expect.stringContaining(words) as string;

describe.each(WAYS)("%s", (...way) => {
  test("a form is answered with values that fit", async () => {
    const { answer, questions } = await ask(way, { rounds: [{ one: WHICH }] }, PRO);
    expect(answer.answers).toEqual([{ one: { action: "accept", content: { plan: "pro", seats: 2 } } }]);
    expect(answer.clientCapabilities).toEqual({ elicitation: { form: {}, url: {} } });
    const choices = [
      { value: "free", title: "free" },
      { value: "pro", title: "pro" },
    ];
    expect(questions).toEqual([
      {
        ...{ kind: "form", server: "asks", tool: "ask", message: "Which plan?" },
        fields: [
          { name: "plan", title: "Plan", isRequired: true, type: "choice", choices, default: "free" },
          { name: "seats", isRequired: false, type: "integer", minimum: 1, maximum: 5 },
        ],
        schema: PLAN,
      },
    ]);
  });

  test("several rounds, and two questions at once", async () => {
    const rounds = [{ one: WHICH, two: SIGN_IN }, { three: WHICH }];
    let open = 0;
    const { answer, questions } = await ask(way, { rounds }, async ({ kind }) => {
      open += 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(open).toBe(1);
      open -= 1;
      return kind === "form" ? PRO : { action: "decline" };
    });
    const accepted = { action: "accept", content: { plan: "pro", seats: 2 } };
    expect(answer.answers).toEqual([{ one: accepted, two: { action: "decline" } }, { three: accepted }]);
    expect(questions[1]).toEqual({
      ...{ kind: "url", server: "asks", tool: "ask", message: "Sign in." },
      ...{ url: "https://login.example.com/go?a=1", host: "login.example.com" },
    });
  });

  // Without a handler, the session's stream is not read.
  test.skipIf(way[0].endsWith("session's stream"))(
    "without a handler, the call ends with the questions",
    async () => {
      const asked = await ask(way, { rounds: [{ one: SIGN_IN }], strict: true });
      expect(errorOf(asked)).toMatchObject({
        code: "INPUT_REQUIRED",
        retryable: false,
        message: 'Tool "ask" requires input, and the call has no onInput. The server asks: "Sign in."',
        questions: [{ kind: "url", url: "https://login.example.com/go?a=1", message: "Sign in." }],
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
    const asked = await ask(way, {}, onInput, capabilities && { capabilities });
    expect(asked.answer.clientCapabilities).toEqual(declared);
  });

  const ROWS: [string, OnInput, RegExp][] = [
    ["an answer that does not fit", () => ({ action: "accept", values: { plan: "gold" } }), /^Tool "ask" got an answer that does not fit its question: /],
    ["a handler that throws", () => Promise.reject(new Error("The terminal is gone.")), /^Tool "ask" requires input: The terminal is gone\. The server asks: "Which plan\?"$/],
  ]; // prettier-ignore

  test.each(ROWS)("%s ends the call, and nothing is sent", async (_what, onInput, message) => {
    const asked = await ask(way, { rounds: [{ one: WHICH }] }, onInput);
    expect(errorOf(asked)).toMatchObject({ code: "INPUT_REQUIRED", questions: [{ message: "Which plan?" }] });
    expect(errorOf(asked).message).toMatch(message);
    expect(JSON.stringify(asked.log)).not.toMatch(/gold|accept/);
  });

  test("endless questions end", async () => {
    const rounds = Array.from({ length: 50 }, () => ({ one: WHICH }));
    const asked = await ask(way, { rounds, endless: true }, PRO);
    const message = containing("asks for input more than 8 times");
    expect(errorOf(asked)).toMatchObject({ code: "INPUT_REQUIRED", message });
    expect(asked.questions.filter(({ tool }) => tool === "ask")).toHaveLength(MOST_ROUNDS);
  });

  test("a question that cannot be shown is refused", async () => {
    const question = { params: { message: "What?", requestedSchema: { type: "string" } } };
    const asked = await ask(way, { rounds: [{ one: question }] }, PRO);
    expect(asked.questions).toEqual([]);
    const error = { code: "TOOL_UNAVAILABLE", message: containing("not an object") };
    if (era === "legacy") expect(JSON.stringify(asked.answer)).toContain("-32602");
    else expect(errorOf(asked)).toMatchObject(error);
  });

  test.each(["sampling/createMessage", "roots/list"])("%s is refused by name", async (method) => {
    const asked = await ask(way, { rounds: [{ one: { method, params: {} } }] }, PRO);
    if (era === "legacy")
      expect(asked.answer.answers).toEqual([
        { one: { error: { code: -32601, message: `This client does not support ${method}.` } } },
      ]);
    else
      expect(errorOf(asked)).toMatchObject({
        code: "INPUT_REQUIRED",
        message: `Tool "ask" requires "${method}", which this client does not support.`,
      });
  });

  test("the time limit does not run while a person answers", async () => {
    const slow: OnInput = async () => {
      await new Promise((resolve) => setTimeout(resolve, 700));
      return PRO;
    };
    const asked = await ask(way, { rounds: [{ one: WHICH }] }, slow, { timeouts: { call: 500 } });
    expect(asked.result.ok).toBe(true);
  });

  test("an abort ends a call with an open question", async () => {
    const controller = new AbortController();
    const withdrawn = vi.fn();
    const onInput: OnInput = (_, { signal }) => {
      signal.addEventListener("abort", withdrawn);
      controller.abort();
      return new Promise(() => undefined);
    };
    const asked = await ask(way, { rounds: [{ one: WHICH }] }, onInput, { signal: controller.signal });
    const message = 'The call of tool "ask" was aborted.';
    expect(errorOf(asked)).toMatchObject({ code: "TOOL_UNAVAILABLE", message });
    expect(withdrawn).toHaveBeenCalledOnce();
    expect(JSON.stringify(asked.log)).not.toContain("accept");
  });
});

describe("a question although nothing was declared", () => {
  test.each(WAYS.filter(([, era]) => era === "legacy"))("%s", async (...way) => {
    const timeouts = { call: way[2] === "http" ? 500 : 30_000 };
    const asked = await ask(way, { rounds: [{ a: WHICH }], strict: true }, undefined, { timeouts });
    // Without a handler, nothing opens the stream of the session.
    const message = containing("did not answer tools/call within 500 ms");
    expect(errorOf(asked)).toMatchObject(
      way[2] === "http" ? { code: "TOOL_UNAVAILABLE", message } : { code: "INPUT_REQUIRED" },
    );
  });
});

describe("a server that asks as the other era does", () => {
  test.each(WAYS.filter(([, era]) => era === "legacy"))("%s", async (...way) => {
    const asked = await ask(way, { rounds: [{ a: WHICH }], otherEra: true }, PRO);
    expect(errorOf(asked)).toMatchObject({
      code: "TOOL_UNAVAILABLE",
      message:
        'Tool "ask" could not be called: The server requires input in a form that protocol version 2025-11-25 does not have.',
    });
    expect(asked.questions).toEqual([]);
  });

  // Only a stream can carry a request of the server.
  test.each([WAYS[1], ["modern HTTP, in the answer's stream", "modern", "sse"] satisfies Way])(
    "%s",
    async (...way) => {
      const asked = await ask(way, { rounds: [{ a: WHICH }], otherEra: true }, PRO);
      const message = "This client does not support elicitation/create.";
      expect(asked.answer.answers).toEqual([{ a: { error: { code: -32601, message } } }]);
      expect(asked.questions).toEqual([]);
    },
  );
});

describe("legacy", () => {
  const way = WAYS[0];

  test("a question after the call has ended is refused", async () => {
    const onInput = vi.fn(() => PRO);
    await using tools = connectAsks({ onInput });
    await tools.ask({ late: WHICH });
    // Past the question: while a call is open, it could be about that one.
    await new Promise((resolve) => setTimeout(resolve, 200));
    await expect.poll(async () => (await tools.log({})).text).toContain("-32600");
    expect(onInput).not.toHaveBeenCalled();
  });

  test("what the server asks for a call that was given up reaches no other handler", async () => {
    await using tools = connectAsks();
    const rounds = [{ one: WHICH }, { two: SIGN_IN }];
    const controller = new AbortController();
    const { signal } = controller;
    const aborting = (): InputAnswer => {
      controller.abort();
      return PRO;
    };
    expect((await tools.ask.safe({ rounds }, { signal, onInput: aborting })).ok).toBe(false);
    const onInput = vi.fn(() => PRO);
    // In a session of its own, the server has no question left.
    await tools.ask({}, { onInput });
    expect((await tools.log({}, { onInput })).text).not.toContain("cancel");
    expect(onInput).not.toHaveBeenCalled();
  });

  test("after a refusal that the tool can live with, the call succeeds", async () => {
    const { result } = await ask(way, { rounds: [{ one: WHICH }] });
    expect(result.ok).toBe(true);
  });

  test.each([
    ["a refusal", undefined, { code: "INPUT_REQUIRED", questions: [{ message: "Which plan?" }] }],
    ["an answer", PRO, { code: "TOOL_UNAVAILABLE", message: containing("did not answer tools/call") }],
  ])("a tool that never answers after %s", async (_what, answer, error) => {
    const rounds = { rounds: [{ one: WHICH }], silent: true };
    const asked = await ask(way, rounds, answer, { timeouts: { call: 300 } });
    expect(errorOf(asked)).toMatchObject(error);
  });

  test("addresses that a call requires first are visited, and the call is sent again", async () => {
    const visit = [SIGN_IN.params];
    const { result, questions, log } = await ask(way, { visit }, { action: "accept" });
    expect(result.ok).toBe(true);
    expect(questions).toMatchObject([{ kind: "url", host: "login.example.com" }]);
    expect(log).toHaveLength(2);
    const refusals: readonly (readonly [InputAnswer | undefined, message: string])[] = [
      [{ action: "decline" }, "requires input that was declined"],
      [{ action: "cancel" }, "requires input that was cancelled"],
      [undefined, "requires input, and the call has no onInput"],
    ];
    for (const [answer, message] of refusals)
      expect(errorOf(await ask(way, { visit }, answer))).toMatchObject({
        ...{ code: "INPUT_REQUIRED", questions: [{ kind: "url" }] },
        message: containing(message),
      });
  });

  test("a visit that the server reports as complete needs no answer", async () => {
    const withdrawn = vi.fn();
    const { result } = await ask(way, { visit: [SIGN_IN.params], completes: true }, (_, { signal }) => {
      signal.addEventListener("abort", withdrawn);
      return new Promise(() => undefined);
    });
    expect(result.ok).toBe(true);
    expect(withdrawn).toHaveBeenCalledOnce();
  });

  test("a question that may belong to several calls names no tool", async () => {
    const onInput = vi.fn<OnInput>(() => PRO);
    await using tools = connectAsks({ onInput });
    const rounds = [{ one: WHICH }];
    await Promise.all([tools.ask({ rounds }), tools.ask({ rounds })]);
    expect(onInput.mock.calls.map(([{ tool }]) => tool)).toContain(undefined);
    // Somebody else must not answer.
    const other: OnInput = () => PRO;
    const texts = await Promise.all([tools.ask({ rounds }), tools.ask({ rounds }, { onInput: other })]);
    expect(texts.map(({ text }) => text).join()).toContain("Several calls are in progress");
  });

  test("a call with the first handler opens a session that declares it", async () => {
    await using tools = connectAsks();
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
    const states = log.map(({ requestState }) =>
      typeof requestState === "string" ? (JSON.parse(requestState) as JsonObject) : undefined,
    );
    expect(states.map((state) => state?.["round"])).toEqual([undefined, 1, 2]);
    const answered = log.map(({ inputResponses }) => Object.keys(inputResponses ?? {}));
    expect(answered).toEqual([[], ["one"], ["two"]]);
    expect(JSON.stringify(events)).not.toContain("only the server reads this");
  });

  test.each([
    ["elicitation", 'Tool "ask" requires input, and the call has no onInput.'],
    ["sampling", 'Tool "ask" requires what this client does not support: sampling.'],
  ])("a call that needs the capability %s", async (name, message) => {
    const asked = await ask(way, { needs: { [name]: {} } });
    expect(errorOf(asked)).toMatchObject({ code: "INPUT_REQUIRED", message, questions: [] });
  });

  test("a round without questions is sent again", async () => {
    const { result, log } = await ask(way, { stateOnly: 2 }, PRO);
    expect(result.ok).toBe(true);
    expect(log.map(({ inputResponses }) => inputResponses)).toEqual([undefined, undefined, undefined]);
  });

  test("more questions at once than a person should get", async () => {
    const round = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`q${at}`, WHICH]));
    const asked = await ask(way, { rounds: [round] }, PRO);
    expect(errorOf(asked)).toMatchObject({ code: "INPUT_REQUIRED" });
    expect(asked.questions).toEqual([]);
  });
});
