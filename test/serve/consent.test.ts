import { describe, expect, it, vi } from "vitest";
import { callRaw, CLIENTS, connectTo, serveTools, type Elicit, type TestClient } from "./clients.js";
import { messageOf } from "../../src/core/errors.js";
import { saying, stubTool, stubToolset } from "./stub-toolset.js";
import type { Toolset } from "../../src/agent/toolset/toolset.js";

/** A toolset that asks before each call, where it can. */
const asking = stubToolset(async (args, { approve }) => {
  const isConfirmed = await approve?.({ name: "drop", tool: stubTool("shop__drop"), input: args["args"] });
  return saying({ confirmed: isConfirmed ?? "no one was asked" });
});

async function connect(name: string, elicit?: Elicit, toolset: Toolset = asking): Promise<TestClient> {
  return connectTo(name, (await serveTools(toolset)).url, elicit);
}

const accept = (): ReturnType<Elicit> => ({ action: "accept", content: { run: true } });

describe.each(Object.keys(CLIENTS))("consent through the SDK's client of %s", (name) => {
  it.each([
    ["accepted", { action: "accept", content: { run: true } }, true],
    ["accepted, with the box left empty", { action: "accept", content: { run: false } }, false],
    ["accepted without the form", { action: "accept" }, false],
    ["declined", { action: "decline" }, false],
    ["cancelled", { action: "cancel" }, false],
  ] as const)("is %s", async (_, said, confirmed) => {
    const client = await connect(name, () => said);
    const { structuredContent } = await client.call("execute", { tool: "drop", args: { id: 1 } });
    expect(structuredContent).toEqual({ confirmed });
  });

  it("shows the tool and its arguments, and is not asked for where they are too many", async () => {
    const elicit = vi.fn<Elicit>(accept);
    const client = await connect(name, elicit);
    const args = { name: "a\u001b[2J\u202eb", long: "x".repeat(1_000_000), id: 3 };
    const { structuredContent } = await client.call("execute", { args });
    expect(structuredContent).toEqual({ confirmed: true });
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`argument${n}`, n]));
    const refused = client.call("execute", { args: many });
    await expect(refused).rejects.toThrow("more arguments than a question can show");
    const message = elicit.mock.calls.flat().join("\n");
    expect(message).toMatch(
      /^Run "shop__drop" of "shop" \(effect not stated\)\? Arguments: \{"name":"a[ -~…]*"id":3\}$/,
    );
    expect(message.length).toBeGreaterThan(1_500);
    expect(message.length).toBeLessThan(2_500);
  });

  it.each([
    ["one after another", false],
    ["at once", true],
  ])("is asked for several calls %s, and nothing runs twice", async (_, isParallel) => {
    const log: string[] = [];
    const seen: string[] = [];
    const toolset = stubToolset(async (_args, { approve }) => {
      log.push("write");
      const drop = async (id: number): Promise<boolean | undefined> => {
        const isConfirmed = await approve?.({ name: "drop", tool: stubTool("shop__drop"), input: { id } });
        log.push(`drop ${id}`);
        return isConfirmed;
      };
      const confirmed = isParallel
        ? await Promise.all([drop(1), drop(2), drop(3)])
        : [await drop(1), await drop(2), await drop(3)];
      return saying({ confirmed: confirmed.map((one) => one ?? null) });
    });
    const client = await connect(
      name,
      (message) => {
        seen.push(/\{.*\}/.exec(message)?.[0] ?? message);
        return { action: "accept", content: { run: !message.includes("2") } };
      },
      toolset,
    );
    const { structuredContent } = await client.call("execute", { args: {} });
    expect(structuredContent).toEqual({ confirmed: [true, false, true] });
    expect(seen).toEqual(['{"id":1}', '{"id":2}', '{"id":3}']);
    expect(log).toEqual(["write", "drop 1", "drop 2", "drop 3"]);
  });

  it("is asked for at most eight times in a request", async () => {
    const toolset = stubToolset(async (_args, { approve }) => {
      const said: string[] = [];
      for (let id = 0; id < 9; id += 1) {
        const answer = (async () =>
          approve?.({ name: "drop", tool: stubTool("shop__drop"), input: { id } }))();
        said.push(await answer.then(String, messageOf));
      }
      return saying({ said });
    });
    const elicit = vi.fn<Elicit>(accept);
    const client = await connect(name, elicit, toolset);
    const { structuredContent } = await client.call("execute", { args: {} });
    const refused = "the user was already asked 8 times during this request";
    expect(structuredContent).toEqual({ said: [...Array<string>(8).fill("true"), refused] });
    expect(elicit).toHaveBeenCalledTimes(8);
  });

  it("is not asked for where the client cannot ask", async () => {
    const client = await connect(name);
    const { structuredContent } = await client.call("execute", { args: {} });
    expect(structuredContent).toEqual({ confirmed: "no one was asked" });
  });
});

describe("consent by the revision of 2026-07-28", () => {
  it("counts for the call that was shown, and for no other", async () => {
    const { url } = await serveTools(asking);
    const inputResponses = { consent: accept() };
    const call = (id: number, state: { readonly requestState?: string } = {}) =>
      callRaw(url, "execute", { arguments: { args: { id } }, inputResponses, ...state });
    const unasked = await call(1);
    expect(unasked.result?.resultType).toBe("input_required");
    const { requestState = "" } = unasked.result ?? {};
    const other = await call(2, { requestState });
    expect(JSON.stringify(other.result)).toContain("no longer open");
    const forged = await call(1, { requestState: `${requestState.slice(0, -4)}AAAA` });
    expect(forged.error).toBeDefined();
    const asked = await call(1, { requestState });
    expect(asked.result?.structuredContent).toEqual({ confirmed: true });
    const again = await call(1, { requestState });
    expect(JSON.stringify(again.result)).toContain("no longer open");
  });
});
