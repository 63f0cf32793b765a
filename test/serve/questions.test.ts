import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { JsonObject } from "../../src/core/json.js";
import { makePulled } from "../e2e/make-project.js";
import { openFixture } from "../runtime/open-fixture.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { callRaw, CLIENTS, connectTo, type RawResult, type Elicit, type TestClient } from "./clients.js";
import { startServe } from "./start-serve.js";

const WRITES = { MCP_CODEGEN_ENABLE_WRITES: "1" };
const FORM = {
  params: {
    message: "Which plan?",
    requestedSchema: {
      type: "object",
      properties: { plan: { type: "string", enum: ["free", "pro"] }, trial: { type: "boolean" } },
      required: ["plan"],
    },
  },
};
const ADDRESS = {
  params: { mode: "url", message: "Sign in.", url: "https://example.com/", elicitationId: "e" },
};
/** A client of a served tool that asks. Destructive tools need consent, which is given. */
async function connect(client: string, upstream: readonly string[], elicit?: Elicit): Promise<TestClient> {
  const [transport = "", ...args] = upstream;
  const server =
    transport === "stdio"
      ? fixtureCommand("asks", ...args)
      : { url: (await openFixture("asks", { args })).url };
  const project = await makePulled({ servers: { asks: server } });
  const serving = await startServe(project.dir, ["--direct"], WRITES);
  onTestFinished(() => serving.stop().then(() => undefined));
  const consenting: Elicit | undefined =
    elicit &&
    ((message) =>
      message.startsWith("Run ") ? { action: "accept", content: { run: true } } : elicit(message));
  return connectTo(client, serving.url, consenting);
}

async function ask(client: TestClient, given: JsonObject): Promise<string> {
  const { content } = await client.call("ask", given);
  const [block] = content as readonly { readonly text: string }[];
  return block?.text ?? "";
}

const UPSTREAMS = [
  ["a legacy server over stdio", ["stdio", "--era", "legacy"]],
  ["a modern server over stdio", ["stdio", "--era", "modern"]],
  ["a legacy server over HTTP", ["http", "--era", "legacy", "--answer", "sse"]],
] as const;

describe.each(Object.keys(CLIENTS))("the client of %s", (name) => {
  it.each(UPSTREAMS)("is asked what %s asks", async (_, upstream) => {
    const accepted = { action: "accept" as const, content: { plan: "pro", trial: true } };
    const elicit = vi.fn<Elicit>(() => accepted);
    const client = await connect(name, upstream, elicit);
    const text = await ask(client, { rounds: [{ one: FORM }, { two: FORM }] });
    expect((JSON.parse(text) as JsonObject)["answers"]).toEqual([{ one: accepted }, { two: accepted }]);
    expect(elicit.mock.calls).toEqual([['"asks" asks: Which plan?'], ['"asks" asks: Which plan?']]);
  });

  it.each(["decline", "cancel"] as const)("may %s", async (action) => {
    const client = await connect(name, UPSTREAMS[0][1], () => ({ action }));
    expect(await ask(client, { rounds: [{ one: FORM }] })).toContain(`{"one":{"action":"${action}"}}`);
  });

  it("receives what was asked where it cannot ask", async () => {
    const client = await connect(name, UPSTREAMS[1][1]);
    const error = await ask(client, { rounds: [{ one: FORM }] });
    const questions = [{ message: "Which plan?" }];
    expect(JSON.parse(error)).toMatchObject({ error: "INPUT_REQUIRED", questions });
    // The clients of these tests have no addresses.
    const forms = await connect(name, UPSTREAMS[1][1], () => ({ action: "accept" }));
    const other = await ask(forms, { rounds: [{ one: ADDRESS }] });
    expect(JSON.parse(other)).toMatchObject({
      error: "INPUT_REQUIRED",
      questions: [{ url: "https://example.com/" }],
    });
  });
});

it("an answer that does not fit is not passed on", async () => {
  const client = await connect("version 2, revision 2026-07-28", UPSTREAMS[0][1], () => ({
    action: "accept",
    content: { plan: true, admin: true },
  }));
  expect(await ask(client, { rounds: [{ one: FORM }] })).toContain("does not fit its question");
  expect(JSON.stringify(await client.call("log", {}))).not.toContain("admin");
});

describe("over HTTP by the revision of 2026-07-28", () => {
  it("an address is passed on, and an answer counts once, for the call that asked", async () => {
    const project = await makePulled({ servers: { asks: fixtureCommand("asks", "--era", "modern") } });
    const serving = await startServe(project.dir, ["--direct"], WRITES);
    onTestFinished(() => serving.stop().then(() => undefined));
    const call = async (params: object): Promise<RawResult> =>
      (await callRaw(serving.url, "ask", params)).result ?? {};
    const given = { arguments: { rounds: [{ one: ADDRESS }] } };
    const first = await call(given);
    const consent = { consent: { action: "accept", content: { run: true } } };
    const asked = await call({ ...given, inputResponses: consent, requestState: first.requestState ?? "" });
    expect(asked.inputRequests).toEqual({
      answer: {
        method: "elicitation/create",
        params: { mode: "url", message: '"asks" asks: Sign in.', url: "https://example.com/" },
      },
    });
    const { requestState = "" } = asked;
    const answer = { inputResponses: { answer: { action: "accept" } }, requestState };
    for (const [params, words] of [
      [{ arguments: { rounds: [] } }, "no longer open"],
      [given, '"answers":[{"one":{"action":"accept"}}]'],
      [given, "no longer open"],
    ] as const)
      expect((await call({ ...params, ...answer })).content?.[0]?.text).toContain(words);
  });
});
