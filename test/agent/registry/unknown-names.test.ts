/** Names that no known tool has: of a server that could not be listed, and of a tool that came a moment ago. */
import { describe, expect, test } from "vitest";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import type { Registry, ToolSource } from "../../../src/agent/registry/registry.js";
import { createToolset } from "../../../src/agent/index.js";
import type { ToolAnswer } from "../../../src/agent/toolset/toolset.js";
import { type Result, defineServer } from "../../../src/runtime/index.js";
import { offerDirectly } from "../../../src/serve/offer-directly.js";
import { FakeServer, lockedTool, registryOf } from "./fake-server.js";
import { callAnthropic } from "../adapters/adapters.js";
import { searchIn } from "../toolset/fake-registry.js";
import { openView } from "../../../src/agent/registry/tool-view.js";

const policy = { writes: true };
const away = defineServer({ name: "shop", url: "http://127.0.0.1:1/mcp" });

/** A site whose plugins come and go. */
function startSite() {
  const site = new FakeServer();
  return { site, ...registryOf({ site }, { onWarning: () => undefined }) };
}

/** What a call of a name says, by each way to call. */
type Said = { readonly code: string; readonly message: string; readonly retryable: boolean } | "called";
type Call = (registry: Registry, name: string) => Promise<Said>;

const readResult = (result: Result<unknown>): Said => (result.ok ? "called" : result.error);
const readText = (text: string | undefined, isError: boolean): Said => {
  if (!isError) return "called";
  const { error, ...rest } = JSON.parse(text ?? "") as { error: string; message: string };
  return { retryable: false, code: error, ...rest };
};
const readAnswer = ({ content, isError }: ToolAnswer): Said => readText(content[0]?.text, isError);

async function callByModel(source: ToolSource, name: string, input: object): ReturnType<Call> {
  const { text, isError } = await callAnthropic(source, name, input, { approval: "none" });
  return readText(text, isError);
}

const WAYS: { readonly [way: string]: Call } = {
  "a registry": async (registry, name) => readResult(await registry.call(name, {})),
  "a restricted registry": async (registry, name) =>
    readResult(await openView(registry).restrict(policy).call(name, {})),
  "a toolset": async (registry, name) =>
    readAnswer(await createToolset(registry, { policy }).answer("execute", { tool: name })),
  "a toolset that describes first": async (registry, name) => {
    const toolset = createToolset(openView(registry).restrict(policy), { policy });
    await toolset.answer("describe_tools", { tools: [name] });
    return readAnswer(await toolset.answer("execute", { tool: name }));
  },
  "tools that are served directly": async (registry, name) =>
    readAnswer(await offerDirectly(registry, { policy }).answer(name, {})),
  "a model's call": (registry, name) => callByModel(registry, name, {}),
  "a model's call of a toolset": (registry, name) =>
    callByModel(createToolset(registry, { policy }), "execute", { tool: name }),
};

const containing = (words: string): string => expect.stringContaining(words) as string;
const UNAVAILABLE = { code: "TOOL_UNAVAILABLE", retryable: true };
const NOT_FOUND = { code: "TOOL_NOT_FOUND", retryable: false };

describe.each(Object.entries(WAYS))("%s", (_way, call) => {
  test.each(["shop__list_products", "list_products"])(
    "says that the server could not be listed: %s",
    async (name) => {
      const registry = createRegistry({ servers: [away], onWarning: () => undefined });
      // Only a name with a server in it has a registry ask.
      if (!name.includes("__")) await registry.getTools();
      const said = await call(registry, name);
      for (const words of [
        'The tools of server "shop" could not be listed: ',
        `Tool "${name}" is not known.`,
      ])
        expect(said).toMatchObject({ ...UNAVAILABLE, message: containing(words) });
    },
  );

  test("calls a tool that came a moment ago", async () => {
    const { site, registry, pass } = startSite();
    await registry.getTools();
    site.tools = ["a", "b"];
    pass(5_000);
    expect(await call(registry, "site__b")).toBe("called");
    expect(site.lists).toBe(2);
  });

  test("calls a tool of a server that was down a moment ago", async () => {
    const { site, registry, pass } = startSite();
    site.error = new Error("connect ECONNREFUSED");
    await registry.getTools();
    site.error = undefined;
    site.tools = ["b"];
    pass(5_000);
    expect(await call(registry, "site__b")).toBe("called");
  });

  test("asks again at most every five seconds", async () => {
    const { site, registry, pass } = startSite();
    await registry.getTools();
    for (let at = 0; at < 20; at += 1) {
      pass(500);
      expect(await call(registry, "site__none")).toMatchObject(NOT_FOUND);
    }
    // Ten seconds: twice.
    expect(site.lists).toBe(3);
  });

  test("asks a failing server at most every five seconds", async () => {
    const { site, registry, pass } = startSite();
    site.error = new Error("connect ECONNREFUSED");
    await registry.getTools();
    for (let at = 0; at < 20; at += 1) {
      pass(500);
      expect(await call(registry, "site__a")).toMatchObject({ code: "TOOL_UNAVAILABLE" });
    }
    expect(site.lists).toBe(3);
  });
});

test.each(["a toolset", "tools that are served directly"])(
  "a model may leave out the name of the only server: %s",
  async (how) => {
    const { site, registry, pass } = startSite();
    await registry.getTools();
    site.tools = ["a", "b"];
    pass(5_000);
    expect(await WAYS[how]?.(registry, "b")).toBe("called");
  },
);

describe("a session", () => {
  test("says that the server could not be listed", async () => {
    const registry = createRegistry({ servers: [away], onWarning: () => undefined });
    const session = createToolset(registry, { show: "found" });
    expect(readResult(await session.call("shop__list_products", {}))).toMatchObject(UNAVAILABLE);
    expect(await callByModel(session, "shop__list_products", {})).toMatchObject(UNAVAILABLE);
    const message = containing('server "shop" could not be listed');
    const error = { code: "TOOL_UNAVAILABLE" };
    expect(await session.explain("shop__list_products")).toMatchObject({ message, error });
  });

  test("finds a tool that came a moment ago, after a call of it", async () => {
    const { site, registry, pass } = startSite();
    const session = createToolset(registry, { show: "found" });
    await session.getTools();
    site.tools = ["a", "b"];
    pass(5_000);
    const message = 'Tool "site__b" is not among your tools now. Find it with "search_tools", then call it.';
    expect(readResult(await session.call("site__b", {}))).toMatchObject({ message });
    const found = await searchIn(session, { query: "b" });
    expect(JSON.stringify(found)).toContain('"name":"b"');
  });
});

/** A registry with a server that cannot be reached, and one that answers. */
function withOther(servers: Parameters<typeof createRegistry>[0]): Registry {
  const registry = createRegistry({ onWarning: () => undefined, ...servers });
  registry.registerServerTools("other", [{ name: "get-post", inputSchema: { type: "object" } }], {
    client: { callTool: () => Promise.resolve({ content: [] }) },
  });
  return registry;
}

const ALL_WAYS: typeof WAYS = {
  ...WAYS,
  "a session": async (registry, name) =>
    readResult(await createToolset(registry, { show: "found" }).call(name, {})),
  "a model's call in a session": (registry, name) =>
    callByModel(createToolset(registry, { show: "found" }), name, {}),
};

describe.each(Object.entries(ALL_WAYS))("%s, beside a server that cannot be listed", (way, call) => {
  test.each([
    ["of an unknown server", "gone__get-post", "get-post"],
    ["of a server that answers, misspelt", "other__get-pots", "other__get-post"],
  ])("a name %s is not found, with the nearest name: %s", async (_, name, nearest) => {
    const registry = withOther({ servers: [away] });
    await registry.getTools();
    const said = await call(registry, name);
    expect(said).toMatchObject(NOT_FOUND);
    if (way.includes("toolset") || way.includes("directly")) return;
    expect(said).toMatchObject({ message: containing(nearest) });
  });

  test("a name that the lock does not have is not found, since no other tool is offered", async () => {
    const server = defineServer({ ...away, contract: "1.0.0" });
    const registry = withOther({ servers: [{ server, ...{ lists: lockedTool(away, "list_products") } }] });
    await registry.getTools();
    expect(await call(registry, "shop__list_product")).toMatchObject(NOT_FOUND);
  });

  const MALFORMED = ["", "get post", "shop__", "shop__get post", "shop__caf\u00e9", "a\nb", "\u0000"];
  test.each([...MALFORMED, `shop__${"x".repeat(129)}`])(
    "a malformed name is invalid input: %j",
    async (name) => {
      const registry = withOther({ servers: [away] });
      await registry.getTools();
      const said = await call(registry, name);
      const code = expect.stringMatching(/^(?:TOOL_INVALID_INPUT|VALIDATION_ERROR)$/) as string;
      expect(said).toMatchObject({
        code,
        retryable: false,
        message: containing("is not the name of a tool"),
      });
    },
  );
});

test.each([undefined, null, 7, {}, []])(
  "a program without types gets an error for the name %j",
  async (name) => {
    const registry = withOther({ servers: [away] });
    for (const source of [
      registry,
      openView(registry).restrict(policy),
      createToolset(registry, { show: "found" }),
    ]) {
      const result = await source.call(name as never, {});
      expect(["TOOL_INVALID_INPUT", "TOOL_NOT_FOUND", "TOOL_UNAVAILABLE"]).toContain(
        !result.ok && result.error.code,
      );
    }
  },
);

test("a server that answered is not to blame for the name of another", async () => {
  const error = { code: "TOOL_NOT_FOUND" };
  expect(await withOther({ servers: [away] }).call("other__b", {})).toMatchObject({ ok: false, error });
  expect(await startSite().registry.call("gone__b", {})).toMatchObject({ ok: false, error });
});
