/** For any policy and tools, no path calls, shows or names a tool that `decide` forbids. */
import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import {
  callOpenAiTools,
  systemPrompt,
  toAiSdkTools,
  toAnthropicTools,
  toOpenAiTools,
} from "../../src/agent/index.js";
import { type Policy, addRole } from "../../src/core/policy.js";
import { callAnthropicTools } from "../../src/agent/adapters/anthropic-tools.js";
import { decide } from "../../src/core/decide.js";
import type { RegisteredTool } from "../../src/core/tool.js";
import { createToolset } from "../../src/agent/toolset/create-toolset.js";
import type { DirectOptions, Servable } from "../../src/serve/offer.js";
import { offerServers } from "../../src/serve/offer-servers.js";
import {
  anyOptions,
  anyTool,
  type DescribedTool,
  markOf,
  useMetaTools,
  type Answer,
} from "../core/any-policy.js";
import { runs } from "../sample.js";
import { openView } from "../../src/agent/registry/tool-view.js";
import { omitUndefined } from "../../src/core/collections.js";

/** A source like a registry, which records the called tools. */
class Source {
  readonly environments = ["default"];
  readonly called = new Set<string>();
  readonly tools: readonly RegisteredTool[];

  constructor(tools: readonly DescribedTool[]) {
    this.tools = tools.map((tool) => ({
      ...tool,
      description: markOf(tool),
      input: z.looseObject({}),
      inputSchema: () => ({ type: "object", description: markOf(tool) }),
      call: () => {
        this.called.add(tool.name);
        return Promise.resolve({ ok: true, value: "done" } as const);
      },
    }));
  }

  getTools(): Promise<readonly RegisteredTool[]> {
    return Promise.resolve(this.tools);
  }

  getTool(name: string): Promise<RegisteredTool | undefined> {
    return Promise.resolve(this.tools.find((tool) => tool.name === name));
  }

  for(): this {
    return this;
  }

  get categories(): ReadonlySet<string> {
    return new Set(this.tools.map(({ category = "uncategorized" }) => category));
  }

  /** All names of tools to try, with and without their servers. */
  get names(): readonly string[] {
    return [...new Set(this.tools.flatMap(({ name }) => [name, name.slice(name.indexOf("__") + 2)]))];
  }
}

/** Tries to find, describe and call every tool, and returns all output. */
type Path = (source: Source, policy: Policy) => Promise<readonly unknown[]>;

async function serve(
  served: Servable,
  use: (answer: Answer) => Promise<readonly unknown[]>,
  options: DirectOptions = {},
): Promise<readonly unknown[]> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = offerServers(served, options).create();
  const client = new Client({ name: "test", version: "1.0.0" });
  await Promise.all([server.connect(far), client.connect(near)]);
  try {
    return [
      await client.listTools(),
      ...(await use((name, args) => client.callTool({ name, arguments: { ...args } }))),
    ];
  } finally {
    await client.close();
    await server.close();
  }
}

/** Tests only the policy, without confirmation. */
const UNASKED = { approval: "none" } as const;

const PATHS: Readonly<Record<string, Path>> = {
  "a restricted list": async ({ tools }, policy) => {
    const shown = openView(tools).restrict(policy).tools;
    return [shown, ...(await Promise.all(shown.map((tool) => tool.call({}))))];
  },
  "a restricted registry": async (source, policy) => {
    const registry = openView(source).restrict(policy);
    const shown: unknown[] = [await registry.getTools()];
    for (const name of source.names)
      shown.push(await (await registry.getTool(name))?.call({}), await registry.call(name, {}));
    return shown;
  },
  "the AI SDK": async (source, policy) => {
    const tools = await toAiSdkTools(openView(source).restrict(policy), UNASKED);
    const calls = Object.values(tools).map((tool) =>
      tool.execute({}, { toolCallId: "1" }).catch((error: unknown) => String(error)),
    );
    return [Object.values(tools).map(({ description }) => description), ...(await Promise.all(calls))];
  },
  "Anthropic's API": async (source, policy) => {
    const registry = openView(source).restrict(policy);
    const listed = await toAnthropicTools(registry);
    const names = [...source.names, ...listed.map(({ name }) => name)];
    const blocks = names.map((name, id) => ({ type: "tool_use", id: `${id}`, name, input: {} }));
    return [listed, await callAnthropicTools(registry, blocks, UNASKED), await systemPrompt(registry)];
  },
  "OpenAI's APIs": async (source, policy) => {
    const registry = openView(source).restrict(policy);
    const listed = await toOpenAiTools(registry);
    const names = [...source.names, ...listed.map((one) => one.function.name)];
    const calls = names.map((name, id) => ({ id: `${id}`, function: { name, arguments: "{}" } }));
    const items = names.map((name, id) => ({
      ...{ type: "function_call", call_id: `${id}`, name, arguments: "{}" },
    }));
    return [
      listed,
      await callOpenAiTools(registry, calls, UNASKED),
      await callOpenAiTools(registry, items, { api: "responses", ...UNASKED }),
    ];
  },
  "a toolset over a registry": async (source, policy) => {
    const toolset = createToolset(source, { policy });
    return useMetaTools((name, args) => toolset.answer(name, args), source);
  },
  "a toolset over a list, its meta-tools called as tools": async (source, policy) => {
    const prefix = "my_";
    const meta = await createToolset(source.tools, { policy, prefix }).getTools();
    const answer: Answer = async (name, args) => meta.find((tool) => tool.name === name)?.call(args);
    return useMetaTools(answer, source, prefix);
  },
  "a toolset over what is restricted already": async (source, policy) => {
    const everything = { ...omitUndefined({ annotations: policy.annotations }), writes: true };
    const toolset = createToolset(openView(source).restrict(policy), { policy: everything });
    return useMetaTools((name, args) => toolset.answer(name, args), source);
  },
  "a served toolset": async (source, policy) =>
    serve(createToolset(source, { policy }), (answer) => useMetaTools(answer, source)),
  "a registry that is served directly": (source, policy) =>
    serve(
      source,
      async (answer) => {
        const shown: unknown[] = [];
        for (const name of source.names) shown.push(await answer(name, {}));
        return shown;
      },
      { policy },
    ),
  "a session whose tools are all there": async (source, policy) => {
    const session = createToolset(source, { show: "found", policy, core: ["*"], maxActive: 50 });
    const listed = await session.getTools();
    const shown: unknown[] = [listed, await session.introduce()];
    for (const name of [...source.names, ...listed.map((one) => one.name)])
      shown.push(await session.call(name, {}));
    return shown;
  },
  "a session that searches": async (source, policy) => {
    const session = createToolset(source, {
      show: "found",
      policy,
      maxActive: 50,
      limit: 50,
      found: source.names,
    });
    const shown: unknown[] = [];
    for (const query of source.names) shown.push(await session.search({ query, limit: 50 }));
    for (const tool of await session.getTools()) shown.push(await session.call(tool.name, {}), tool);
    for (const name of source.names) shown.push(await session.call(name, {}), await session.explain(name));
    return shown;
  },
};

const tools = fc.uniqueArray(anyTool, { selector: ({ name }) => name, minLength: 1, maxLength: 7 });

/** The source unchanged, or restricted while the program runs. */
const policies = fc
  .record({ options: anyOptions, narrows: fc.boolean() })
  .map(({ options, narrows }) => (narrows ? addRole(options, "guest") : options));

describe.each(Object.entries(PATHS))("%s", (name, path) => {
  test("calls only allowed tools, and reveals nothing about hidden ones", async () => {
    await fc.assert(
      // Two policies over one source: a cached result of one must not serve the other.
      fc.asyncProperty(tools, policies, policies, async (described, ...both) => {
        const source = new Source(described);
        for (const policy of both) {
          source.called.clear();
          const shown = JSON.stringify(await path(source, policy));
          const decisions = source.tools.map((one) => ({ one, ...decide(one, policy) }));
          const allowed = decisions.filter(({ isAllowed }) => isAllowed).map(({ one }) => one.name);
          expect([...source.called].sort()).toEqual(allowed.sort());
          const told = decisions.filter(({ one }) => shown.includes(markOf(one))).map(({ one }) => one.name);
          const visible = decisions.filter(({ isVisible }) => isVisible).map(({ one }) => one.name);
          expect(told.sort()).toEqual(visible.sort());
        }
      }),
      { numRuns: name.startsWith("a restricted") ? 200 : runs(60, 3) },
    );
  });
});
