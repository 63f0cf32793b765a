/** Names that no known tool has: of a server that could not be listed, and of a tool that came a moment ago. */
import { describe, expect, test } from "vitest";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import { createToolset } from "../../../src/agent/toolset/create-toolset.js";
import { type Registry, type ToolSource } from "../../../src/agent/registry/registry.js";
import { defineServer } from "../../../src/runtime/tool.js";
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
type Call = (
  registry: Registry,
  name: string,
) => Promise<{ readonly code: string; readonly message: string; readonly retryable: boolean } | "called">;

const readText = (text: string | undefined, isError: boolean): Awaited<ReturnType<Call>> => {
  if (!isError) return "called";
  const {
    error,
    message,
    retryable = false,
  } = JSON.parse(text ?? "") as { error: string; message: string; retryable?: boolean };
  return { code: error, message, retryable };
};

async function callByModel(source: ToolSource, name: string, input: object): ReturnType<Call> {
  const { text, isError } = await callAnthropic(source, name, input, { approval: "none" });
  return readText(text, isError);
}

const WAYS: { readonly [way: string]: Call } = {
  "a registry": async (registry, name) => {
    const result = await registry.call(name, {});
    return result.ok ? "called" : result.error;
  },
  "a restricted registry": async (registry, name) => {
    const result = await openView(registry).restrict(policy).call(name, {});
    return result.ok ? "called" : result.error;
  },
  "a toolset": async (registry, name) => {
    const { content, isError } = await createToolset(registry, { policy }).answer("execute", { tool: name });
    return readText(content[0]?.text, isError);
  },
  "a toolset that describes first": async (registry, name) => {
    const toolset = createToolset(openView(registry).restrict(policy), { policy });
    await toolset.answer("describe_tools", { tools: [name] });
    const { content, isError } = await toolset.answer("execute", { tool: name });
    return readText(content[0]?.text, isError);
  },
  "tools that are served directly": async (registry, name) => {
    const { content, isError } = await offerDirectly(registry, { policy }).answer(name, {});
    return readText(content[0]?.text, isError);
  },
  "a model's call": (registry, name) => callByModel(registry, name, {}),
  "a model's call of a toolset": (registry, name) =>
    callByModel(createToolset(registry, { policy }), "execute", { tool: name }),
};

describe.each(Object.entries(WAYS))("%s", (_way, call) => {
  test.each(["shop__list_products", "list_products"])(
    "says that the server could not be listed: %s",
    async (name) => {
      const registry = createRegistry({ servers: [away], onWarning: () => undefined });
      // Only a name with a server in it has a registry ask.
      if (!name.includes("__")) await registry.getTools();
      const said = await call(registry, name);
      expect(said).toMatchObject({
        code: "TOOL_UNAVAILABLE",
        retryable: true,
        message: expect.stringContaining('The tools of server "shop" could not be listed: ') as string,
      });
      expect(said).toMatchObject({
        message: expect.stringContaining(`Tool "${name}" is not known.`) as string,
      });
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
      expect(await call(registry, "site__none")).toMatchObject({
        code: "TOOL_NOT_FOUND",
        retryable: false,
      });
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

test.each(["toolset", "direct"])("a model may leave out the name of the only server: %s", async (how) => {
  const { site, registry, pass } = startSite();
  await registry.getTools();
  site.tools = ["a", "b"];
  pass(5_000);
  const toolset = createToolset(registry, { policy });
  const answer =
    how === "toolset"
      ? await toolset.answer("execute", { tool: "b" })
      : await offerDirectly(registry, { policy }).answer("b", {});
  expect(answer.isError).toBe(false);
});

describe("a session", () => {
  test("says that the server could not be listed", async () => {
    const session = createToolset(createRegistry({ servers: [away], onWarning: () => undefined }), {
      show: "found",
    });
    const result = await session.call("shop__list_products", {});
    expect(!result.ok && result.error).toMatchObject({ code: "TOOL_UNAVAILABLE", retryable: true });
    expect(await callByModel(session, "shop__list_products", {})).toMatchObject({
      code: "TOOL_UNAVAILABLE",
      retryable: true,
    });
    expect(await session.explain("shop__list_products")).toMatchObject({
      message: expect.stringContaining('server "shop" could not be listed') as string,
      error: { code: "TOOL_UNAVAILABLE" },
    });
  });

  test("finds a tool that came a moment ago, after a call of it", async () => {
    const { site, registry, pass } = startSite();
    const session = createToolset(registry, { show: "found" });
    await session.getTools();
    site.tools = ["a", "b"];
    pass(5_000);
    const result = await session.call("site__b", {});
    expect(!result.ok && result.error.message).toBe(
      'Tool "site__b" is not among your tools now. Find it with "search_tools", then call it.',
    );
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
  "a session": async (registry, name) => {
    const result = await createToolset(registry, { show: "found" }).call(name, {});
    return result.ok ? "called" : result.error;
  },
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
    expect(said).toMatchObject({ code: "TOOL_NOT_FOUND", retryable: false });
    if (way.includes("toolset") || way.includes("directly")) return;
    expect(said).toMatchObject({ message: expect.stringContaining(nearest) as string });
  });

  test("a name that the lock does not have is not found, since no other tool is offered", async () => {
    const server = defineServer({ ...away, contract: "1.0.0" });
    const registry = withOther({ servers: [{ server, ...{ lists: lockedTool(away, "list_products") } }] });
    await registry.getTools();
    expect(await call(registry, "shop__list_product")).toMatchObject({
      code: "TOOL_NOT_FOUND",
      retryable: false,
    });
  });

  test.each([
    "",
    "get post",
    "shop__",
    "shop__get post",
    "shop__caf\u00e9",
    `shop__${"x".repeat(129)}`,
    "a\nb",
    "\u0000",
  ])("a malformed name is invalid input: %j", async (name) => {
    const registry = withOther({ servers: [away] });
    await registry.getTools();
    const said = await call(registry, name);
    expect(["TOOL_INVALID_INPUT", "VALIDATION_ERROR"]).toContain(said === "called" ? said : said.code);
    expect(said).toMatchObject({ retryable: false });
    expect(said).toMatchObject({ message: expect.stringContaining("is not the name of a tool") as string });
  });
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
