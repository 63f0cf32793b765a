/** Sessions in the Vercel AI SDK, under every version of it that they are for. */

import { describe, expect, test } from "vitest";
import { createToolset } from "../../../src/agent/toolset/create-toolset.js";
import type { FoundOptions, ToolSession } from "../../../src/agent/toolset/toolset.js";
import { type AiSdkToolsOptions, toAiSdkRun } from "../../../src/agent/adapters/ai-sdk-tools.js";
import { SDKS, type AgentRun, type Turn, type WrittenCall } from "../adapters/run-agent.js";
import { fakeTool } from "../adapters/fake-tool.js";
import { fakeRegistry, shopTools } from "./fake-registry.js";

function open(options: Partial<FoundOptions> = {}) {
  const registry = fakeRegistry(shopTools());
  return { registry, session: createToolset(registry, { show: "found", limit: 1, ...options }) };
}

function search(id: string, query: string): WrittenCall {
  return { id, tool: "search_tools", json: JSON.stringify({ query }) };
}

/** The result of a call for the model. */
function toldOf({ told }: AgentRun, id: string): string {
  const parts = told.flatMap((message) => (message as { content: { toolCallId: string }[] }).content);
  return JSON.stringify(parts.find(({ toolCallId }) => toolCallId === id));
}

describe.each(SDKS)("ai $version", ({ version, run }) => {
  async function work(
    session: ToolSession,
    turns: readonly Turn[],
    options: AiSdkToolsOptions = {},
    messages?: readonly object[],
  ): Promise<AgentRun> {
    const { tools, ...rest } = await toAiSdkRun(session, options);
    return run(tools, turns, { session: rest, ...(messages && { messages }) });
  }

  test("the model is given what is active, step by step, and calls what it has found", async () => {
    const { registry, session } = open({ core: ["list_order"] });
    const agent = await work(session, [
      [{ id: "1", tool: "shop__list_order", json: "{}" }],
      [search("2", "create an invoice")],
      [{ id: "3", tool: "shop__create_invoice", json: '{"for":"Ada"}' }, search("4", "list parcels")],
      "Done.",
    ]);
    expect(agent.shown).toEqual([
      ["search_tools", "shop__list_order"],
      ["search_tools", "shop__list_order"],
      ["search_tools", "shop__list_order", "shop__create_invoice"],
      ["search_tools", "shop__list_order", "shop__create_invoice", "shop__list_parcel"],
    ]);
    expect(registry.called).toEqual(["shop__list_order", "shop__create_invoice"]);
    expect(toldOf(agent, "2")).toContain("Creates a new invoice.");
    expect(toldOf(agent, "3")).toContain("Ada");
  });

  test("a tool that was not discovered does not run, though it exists, and the model is advised to search", async () => {
    const { registry, session } = open();
    const agent = await work(session, [
      [{ id: "1", tool: "shop__delete_order", json: "{}" }],
      [{ id: "2", tool: "delete_orders", json: "{}" }],
      // Nor one that is found in the same breath.
      [search("3", "delete order"), { id: "4", tool: "shop__delete_order", json: "{}" }],
      "I cannot.",
    ]);
    expect(registry.called).toEqual([]);
    expect(agent.steps.flat().filter(({ type }) => type === "tool-error")).toHaveLength(3);
    expect(agent.steps.flat().filter(({ type }) => type === "tool-approval-request")).toEqual([]);
    const unknown = JSON.stringify('Tool "shop__delete_order" is not among your tools now.').slice(1, -1);
    expect(toldOf(agent, "1")).toContain(unknown);
    expect(toldOf(agent, "1")).toContain("search_tools");
    expect(toldOf(agent, "2")).toContain("Nearest:");
    expect(toldOf(agent, "4")).toContain(unknown);
  });

  test("a tool may have the name of an inherited property, and an inherited property is not a tool", async () => {
    const registry = fakeRegistry([fakeTool("__proto__"), fakeTool("valueOf")]);
    const session = createToolset(registry, { show: "found", core: ["*"] });
    const names = ["__proto__", "valueOf", "constructor", "toString"];
    const calls = names.map((tool, at) => ({ id: String(at + 1), tool, json: "{}" }));
    const agent = await work(session, [calls, "Done."], { approval: "none" });
    expect(agent.shown[0]).toEqual(["search_tools", "__proto__", "valueOf"]);
    expect(registry.called.toSorted()).toEqual(["__proto__", "valueOf"]);
    // Earlier versions end the run there, and call nothing.
    if (version === 7) for (const id of ["3", "4"]) expect(toldOf(agent, id)).toContain("There is no tool");
  });

  test("what destroys waits for a person, and is called in the next run when they agree", async () => {
    const { registry, session } = open();
    const asked = await work(session, [
      [search("1", "delete order")],
      [{ id: "2", tool: "shop__delete_order", json: "{}" }],
      "Done.",
    ]);
    expect(registry.called).toEqual([]);
    if (version === 5) return;
    const [request] = asked.steps.flat().filter(({ type }) => type === "tool-approval-request");
    const answer = { type: "tool-approval-response", approvalId: request?.["approvalId"], approved: true };
    const messages = [...asked.messages, { role: "tool", content: [answer] }];
    // In another process, as handlers of requests are.
    await work(createToolset(registry, { show: "found", found: session.found }), ["Gone."], {}, messages);
    expect(registry.called).toEqual(["shop__delete_order"]);
  });
});
