/** Names that no known tool has: of a server that could not be listed, and of a tool that came a moment ago. */
import { expect, test } from "vitest";
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
const ALL_WAYS: typeof WAYS = {
  ...WAYS,
  "a session": async (registry, name) =>
    readResult(await createToolset(registry, { show: "found" }).call(name, {})),
  "a model's call in a session": (registry, name) =>
    callByModel(createToolset(registry, { show: "found" }), name, {}),
};

const containing = (words: string): string => expect.stringContaining(words) as string;
const UNAVAILABLE = { code: "TOOL_UNAVAILABLE", retryable: true };
const NOT_FOUND = { code: "TOOL_NOT_FOUND", retryable: false };

/** A registry with a server that cannot be reached, and one that answers. */
function withOther(servers: Parameters<typeof createRegistry>[0]): Registry {
  const registry = createRegistry({ onWarning: () => undefined, ...servers });
  registry.registerServerTools("other", [{ name: "get-post", inputSchema: { type: "object" } }], {
    client: { callTool: () => Promise.resolve({ content: [] }) },
  });
  return registry;
}

/** Calls a name twenty times in ten seconds, and returns the codes of the errors. */
async function callOften(registry: Registry, pass: (milliseconds: number) => void, name: string) {
  const codes = new Set<unknown>();
  for (let at = 0; at < 20; at += 1) {
    pass(500);
    const result = await registry.call(name, {});
    codes.add(result.ok || result.error.code);
  }
  return [...codes];
}

test.each(Object.entries(ALL_WAYS))("%s says that the server could not be listed", async (way, call) => {
  // Only a name with a server in it has a registry ask.
  for (const name of ["shop__list_products", "list_products"]) {
    if (way.includes("session") && !name.includes("__")) continue;
    const registry = createRegistry({ servers: [away], onWarning: () => undefined });
    if (!name.includes("__")) await registry.getTools();
    const message = containing(
      `Tool "${name}" is not known. The tools of server "shop" could not be listed: `,
    );
    expect(await call(registry, name)).toMatchObject({ ...UNAVAILABLE, message });
  }
});

test.each(Object.entries(WAYS))("%s calls a tool that came a moment ago", async (way, call) => {
  // A model may leave out the name of the only server.
  const isShort = way === "a toolset" || way.includes("directly");
  for (const name of isShort ? ["site__b", "b"] : ["site__b"]) {
    const { site, registry, pass } = startSite();
    await registry.getTools();
    site.tools = ["a", "b"];
    pass(5_000);
    expect(await call(registry, name)).toBe("called");
    expect(site.lists).toBe(2);
  }
});

test("a server is asked about an unknown name at most every five seconds, also while it fails", async () => {
  const { site, registry, pass } = startSite();
  await registry.getTools();
  expect(await callOften(registry, pass, "site__none")).toEqual(["TOOL_NOT_FOUND"]);
  expect(site.lists).toBe(3);
  const down = startSite();
  down.site.error = new Error("connect ECONNREFUSED");
  await down.registry.getTools();
  expect(await callOften(down.registry, down.pass, "site__a")).toEqual(["TOOL_UNAVAILABLE"]);
  expect(down.site.lists).toBe(3);
  down.site.error = undefined;
  down.pass(5_000);
  expect(await down.registry.call("site__a", {})).toMatchObject({ ok: true });
});

test("a session explains an unlisted server, and finds a tool that came a moment ago after a call of it", async () => {
  const unlisted = createToolset(createRegistry({ servers: [away], onWarning: () => undefined }), {
    show: "found",
  });
  const message = containing('server "shop" could not be listed');
  const error = { code: "TOOL_UNAVAILABLE" };
  expect(await unlisted.explain("shop__list_products")).toMatchObject({ message, error });
  const { site, registry, pass } = startSite();
  const session = createToolset(registry, { show: "found" });
  await session.getTools();
  site.tools = ["a", "b"];
  pass(5_000);
  const inactive = 'Tool "site__b" is not among your tools now. Find it with "search_tools", then call it.';
  expect(readResult(await session.call("site__b", {}))).toMatchObject({ message: inactive });
  expect(JSON.stringify(await searchIn(session, { query: "b" }))).toContain('"name":"b"');
});

const MALFORMED = ["", "get post", "shop__", "shop__get post", "shop__caf\u00e9", "a\nb", "\u0000"];

test.each(Object.entries(ALL_WAYS))(
  "%s: beside a server that cannot be listed, other names are not found, and malformed ones are invalid",
  async (way, call) => {
    const server = defineServer({ ...away, contract: "1.0.0" });
    const locked = withOther({ servers: [{ server, ...{ lists: lockedTool(away, "list_products") } }] });
    await locked.getTools();
    // No other tool than those of the lock is offered.
    expect(await call(locked, "shop__list_product")).toMatchObject(NOT_FOUND);
    const registry = withOther({ servers: [away] });
    await registry.getTools();
    for (const [name, nearest] of [
      ["gone__get-post", "get-post"],
      ["other__get-pots", "other__get-post"],
    ] as const) {
      const isNamed = !way.includes("toolset") && !way.includes("directly");
      const message = containing(isNamed ? nearest : name);
      expect(await call(registry, name)).toMatchObject({ ...NOT_FOUND, message });
    }
    const code = expect.stringMatching(/^(?:TOOL_INVALID_INPUT|VALIDATION_ERROR)$/) as string;
    const invalid = { code, retryable: false, message: containing("is not the name of a tool") };
    for (const name of [...MALFORMED, `shop__${"x".repeat(129)}`])
      expect(await call(registry, name), name).toMatchObject(invalid);
  },
);

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
