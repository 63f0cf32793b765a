/** What holds for every adapter. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { connect } from "../../../generated/example/index.js";
import { createRegistry, createToolset, defineStaticTool, type Registry } from "../../../src/agent/index.js";
import { defineServer } from "../../../src/runtime/tool.js";
import { fixtureCommand } from "../../servers/start-fixture.js";
import { ADAPTERS, ASKS, CALLERS, FRAMEWORKS } from "./adapters.js";
import { fakeTool, READS } from "./fake-tool.js";
import { bakeryForEach } from "./start-bakery.js";

const bakery = bakeryForEach();

const RAW = defineServer({ name: "raw", ...fixtureCommand("raw-answers") });
const ID = "1234567890123456789";
const text = { type: "text", text: "A loaf." };
const content = [text, { type: "image", data: "AAAA", mimeType: "image/png" }];
const look = fakeTool("look", {
  ...READS,
  call: () => Promise.resolve({ ok: true, value: { text: "A loaf.", content, json: () => 1 } }),
});

const NAMED = "A loaf.\n[image/png: cannot be shown]";
const URL_OF_IMAGE = "data:image/png;base64,AAAA";
/** An image in the form of each adapter. */
const IMAGES: Readonly<Record<string, unknown>> = {
  Anthropic: [text, { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }],
  "OpenAI's Chat Completions": NAMED,
  "OpenAI's Responses": [
    { type: "input_text", text: "A loaf." },
    { type: "input_image", image_url: URL_OF_IMAGE, detail: "auto" },
  ],
  Gemini: {
    response: { output: "A loaf." },
    parts: [{ inlineData: { data: "AAAA", mimeType: "image/png" } }],
  },
  "the AI SDK": [text, { type: "image-data", data: "AAAA", mediaType: "image/png" }],
  "LangChain.js": [text, { type: "image_url", image_url: { url: URL_OF_IMAGE } }],
  Mastra: NAMED,
  "the OpenAI Agents SDK": [text, { type: "image", image: { data: "AAAA", mediaType: "image/png" } }],
  "TanStack AI": NAMED,
};

/** Those whose providers may refuse brackets in the name of a property. */
const RENAMES = ["Anthropic", "the AI SDK", "LangChain.js", "Mastra", "TanStack AI"];

const wipe = defineStaticTool({
  name: "wipe",
  input: z.strictObject({ id: z.number() }),
  annotations: { destructiveHint: true },
  execute: () => "wiped",
});

describe.each(Object.entries(ADAPTERS))("%s", (adapter, call) => {
  test("hands on results, failures of the server and invalid input", async () => {
    const wordpress = connect({ client: bakery });
    for (const [id, isError, words] of [
      [1, false, /"title":"Hello world"/],
      [99, true, /TOOL_EXECUTION_FAILED.*There is no post 99/],
      ["one", true, /TOOL_INVALID_INPUT/],
    ] as const) {
      const reading = { isError, text: expect.stringMatching(words) as string };
      expect(await call(wordpress, "get-post", { id })).toMatchObject(reading);
    }
    expect(bakery.called).toEqual(["get-post", "get-post"]);
  });

  test("writes an image in its form, or names it", async () => {
    expect((await call([look], "look", {})).written).toEqual(IMAGES[adapter]);
  });

  test("calls a tool with its own names, where the provider refuses them", async () => {
    const inputSchema = () => ({ type: "object", properties: { "page[size]": { type: "integer" } } });
    const list = fakeTool("list", { ...READS, inputSchema });
    const key = RENAMES.includes(adapter) ? "page_size" : "page[size]";
    expect((await call([list], "list", { [key]: 5 })).text).toBe('{"page[size]":5}');
  });

  test("shows the digits of the server", async () => {
    const raw = `{"content":[{"type":"text","text":"{\\"Id\\":${ID}}"}],"structuredContent":{"Id":${ID}}}`;
    const registry = createRegistry({ servers: [RAW] });
    const read = await call(registry, "structured", { raw }, { approval: "none" });
    expect(read).toMatchObject({ isError: false, text: `{"Id":${ID}}` });
  });

  test("is an error for a value that is not JSON", async () => {
    const value = fakeTool("value", { ...READS, call: () => Promise.resolve({ ok: true, value: 1n }) });
    const { isError, text: words } = await call([value], "value", {});
    expect([isError, words]).toEqual([true, expect.stringContaining("as JSON: it is a BigInt")]);
  });

  test("asks the person whom the registry names, once, and not the framework", async () => {
    for (const [said, isError] of [
      [true, false],
      [false, true],
      ["yes", true],
    ] as const) {
      const asked: unknown[] = [];
      const shop: Registry = createRegistry({
        static: [wipe],
        // A program without types may return anything.
        approve: ({ tool, input }) => asked.push([tool.name, input]) > 0 && (said as boolean),
      });
      expect((await ASKS[adapter]?.(shop, "wipe", { id: 1 })) ?? false).toBe(false);
      expect((await call(shop, "wipe", { id: 1 })).isError).toBe(isError);
      expect(asked).toEqual([["wipe", { id: 1 }]]);
    }
  });

  test("asks no one about arguments that `execute` of a toolset would refuse", async () => {
    const toolset = createToolset(createRegistry({ static: [wipe] }), { policy: { writes: true } });
    const asked: unknown[] = [];
    const approve = ({ input }: { readonly input: unknown }): boolean => asked.push(input) > 0;
    // Some models write the arguments as JSON text.
    for (const args of [{ id: "three" }, '{"id":"three"}']) {
      const wrong = { tool: "wipe", args };
      expect((await call(toolset, "execute", wrong, { approve })).text).toMatch(/INVALID_INPUT|VALIDATION/);
      if (["the AI SDK", "the OpenAI Agents SDK"].includes(adapter))
        expect(await ASKS[adapter]?.(toolset, "execute", wrong)).toBe(false);
    }
    expect(asked).toEqual([]);
    const right = { tool: "wipe", args: { id: 3 } };
    expect((await call(toolset, "execute", right, { approve })).text).toContain("wiped");
    expect(asked).toEqual([{ id: 3 }]);
  });
});

test.each(Object.keys(ASKS))(
  "%s has to ask before a call that destroys, and before no other",
  async (adapter) => {
    const wordpress = connect({ client: bakery });
    expect(await ASKS[adapter]?.(wordpress, "delete-post", { id: 3 })).toBe(true);
    expect(await ASKS[adapter]?.(wordpress, "get-post", { id: 3 })).toBe(false);
  },
);

test.each([...Object.keys(CALLERS), "the AI SDK", "LangChain.js"])(
  "%s does not call what destroys without an approval",
  async (adapter) => {
    const { text: words } = (await ADAPTERS[adapter]?.([fakeTool("wipe")], "wipe", {})) ?? {};
    expect(words).toContain("TOOL_NOT_ALLOWED");
    expect(words).toContain("it needs approval");
  },
);

test.each(["Mastra", "the OpenAI Agents SDK", "TanStack AI"])(
  "%s calls what it has asked about",
  async (adapter) => {
    expect(await FRAMEWORKS[adapter]?.([fakeTool("wipe")], "wipe", { a: 1 })).toMatchObject({
      text: '{"a":1}',
    });
  },
);
