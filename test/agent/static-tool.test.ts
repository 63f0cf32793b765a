import { describe, expect, expectTypeOf, test } from "vitest";
import * as z from "zod";
import { createChangeTracker } from "../../src/agent/replay/change-tracker.js";
import { createToolset, defineStaticTool, createRegistry } from "../../src/agent/index.js";
import { offerDirectly } from "../../src/serve/offer-directly.js";
import { lockedTool } from "./registry/fake-server.js";
import { type AnyTool, ToolCallError } from "../../src/runtime/index.js";
import { isTool } from "../../src/runtime/tool.js";

const countWords = defineStaticTool({
  name: "count-words",
  description: "Counts the words of a text.",
  annotations: { readOnlyHint: true },
  input: z.strictObject({ text: z.string(), most: z.number().default(100) }),
  output: z.strictObject({ words: z.number() }),
  execute: ({ text, most }) => ({ words: Math.min(text.split(/\s+/u).length, most) }),
});

const toolNamed = <T>(name: string, execute: () => T) =>
  defineStaticTool({ name, input: z.object({}), execute });

const fail = (): never => {
  throw new Error("out of flour");
};

describe("a static tool", () => {
  test("receives what its schema made of the input, and is typed by it", async () => {
    expectTypeOf(countWords).parameter(0).toEqualTypeOf<{ text: string; most?: number | undefined }>();
    expect(await countWords({ text: "a b c" })).toEqual({ words: 3 });
    expect(await countWords.safe({ text: "a b c", most: 2 })).toEqual({ ok: true, value: { words: 2 } });
    const any: AnyTool = countWords;
    expect(any.definition.server).toBeUndefined();
  });

  test("has its schema for models from Zod, or says that it needs one", () => {
    expect(countWords.definition.inputSchema()).toMatchObject({
      type: "object",
      properties: { text: { type: "string" } },
      required: ["text"],
    });
    const validate = (value: unknown) => ({ value });
    const bare = defineStaticTool({
      name: "bare",
      input: { "~standard": { version: 1, vendor: "mine", validate } },
    });
    expect(() => bare.definition.inputSchema()).toThrow('Tool "bare" has no JSON Schema for models.');
  });

  test("is not run on input that does not fit", async () => {
    // @ts-expect-error: a text is a string
    expect(await countWords.safe({ text: 1 })).toMatchObject({
      ok: false,
      error: { code: "TOOL_INVALID_INPUT", tool: "count-words", server: "static", retryable: false },
    });
    const thrower = defineStaticTool({ name: "thrower", input: z.string().refine(fail), execute: () => 1 });
    expect(await thrower.safe("x")).toMatchObject({ error: { code: "TOOL_INVALID_INPUT" } });
  });

  test("fails as a server's tool fails, and without execute is not implemented", async () => {
    const broken = toolNamed("broken", fail);
    expect(await broken.safe({})).toMatchObject({
      error: { code: "TOOL_EXECUTION_FAILED", message: 'Tool "broken" failed: out of flour' },
    });
    await expect(broken({})).rejects.toThrow(ToolCallError);
    const down = {
      code: "TOOL_UNAVAILABLE",
      message: "down",
      retryable: true,
      tool: "t",
      server: "s",
    } as const;
    const outer = toolNamed("outer", () => Promise.reject(new ToolCallError(down)));
    expect(await outer.safe({})).toMatchObject({ error: { code: "TOOL_EXECUTION_FAILED", retryable: true } });
    const declared = defineStaticTool({ name: "declared", input: z.object({}) });
    const error = { code: "TOOL_NOT_IMPLEMENTED", retryable: false };
    expect(await declared.safe({})).toMatchObject({ error });
  });

  test("has its answer judged as the caller says", async () => {
    const output: z.ZodType<{ words: number }> = z.strictObject({ words: z.number().max(1) });
    const execute = () => ({ words: 2 });
    const liar = defineStaticTool({ name: "liar", input: z.object({}), output, execute });
    const warnings: string[] = [];
    const onWarning = (message: string): void => void warnings.push(message);
    expect(await liar.safe({})).toMatchObject({
      error: { code: "TOOL_INVALID_OUTPUT", cause: { words: 2 } },
    });
    expect(await liar.safe({}, { output: "off", onWarning })).toEqual({ ok: true, value: { words: 2 } });
    expect(warnings).toEqual([]);
    expect(await liar.safe({}, { output: "warn", onWarning })).toEqual({ ok: true, value: { words: 2 } });
    expect(warnings).toEqual([expect.stringContaining('The answer of tool "liar" does not fit')]);
  });

  test("receives an abort, a time-out and the environment", async () => {
    const seen: unknown[] = [];
    const waits = defineStaticTool({
      name: "waits",
      input: z.object({}),
      execute: (_input, { signal, environment }) => {
        seen.push(environment);
        return new Promise<never>(() => {
          signal.addEventListener("abort", () => seen.push("aborted"));
        });
      },
    });
    const controller = new AbortController();
    const call = waits.safe({}, { signal: controller.signal, environment: "sandbox" });
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await call).toMatchObject({ error: { code: "TOOL_UNAVAILABLE", retryable: false } });
    const message = expect.stringContaining("within 5 ms") as unknown;
    const late = { code: "TOOL_UNAVAILABLE", retryable: true, message };
    expect(await waits.safe({}, { timeout: 5 })).toMatchObject({ error: late });
    expect(seen).toEqual(["sandbox", "aborted", undefined, "aborted"]);
    expect(await waits.safe({}, { signal: AbortSignal.abort() })).toMatchObject({ ok: false });
    expect(seen).toHaveLength(4);
  });
});

test("changes of a static tool are recorded once it ran, and not where it was refused, failed or only read", async () => {
  const rename = defineStaticTool({
    name: "rename",
    input: z.strictObject({ to: z.string().min(1) }),
    execute: ({ to }, { signal }) => {
      if (to === "never") return new Promise<never>(() => undefined);
      if (to === "taken" || signal.aborted) throw new Error("It is taken.");
      return { name: to };
    },
  });
  const changes = createChangeTracker({ clock: () => 0 });
  await rename.safe({ to: "new" }, { changes, environment: "sandbox" });
  await rename.safe({ to: "" }, { changes });
  await rename.safe({ to: "taken" }, { changes });
  await rename.safe({ to: "new" }, { changes, signal: AbortSignal.abort() });
  await countWords.safe({ text: "a" }, { changes });
  await rename.safe({ to: "never" }, { changes, timeout: 5 });
  const made = { tool: "rename", server: "", at: "1970-01-01T00:00:00.000Z" };
  expect(changes.changes()).toEqual([
    { ...made, args: { to: "new" }, result: { name: "new" }, environment: "sandbox" },
    { ...made, args: { to: "never" }, result: null, outcome: "unknown" },
  ]);
});

test.each<[what: string, value: unknown, isOne: boolean]>([
  ["a static tool", countWords, true],
  ["a generated tool", lockedTool({ name: "shop", contract: "1.0.0" }, "t"), true],
  ["an object like one", { safe: fail, definition: countWords.definition }, true],
  ["nothing", null, false],
  ["a schema", z.object({}), false],
  ["a function", () => 1, false],
  ["a definition alone", countWords.definition, false],
  ["an AI SDK tool", { description: "d", inputSchema: z.object({}), execute: () => 1 }, false],
  ["a half", { safe: () => 1, definition: { name: "x" } }, false],
  ["a proxy that throws", new Proxy({}, { has: fail }), false],
  ["a getter that throws", Object.defineProperty({ safe: () => 1 }, "definition", { get: fail }), false],
])("of %s, isTool says so", (_what, value, isOne) => {
  expect(isTool(value)).toBe(isOne);
});

const make = (value: unknown) =>
  defineStaticTool({
    name: "value",
    annotations: { readOnlyHint: true },
    input: z.looseObject({}),
    execute: () => value,
  });

test("a result that is not JSON is an error of the tool, of a toolset and of served tools", async () => {
  const message = expect.stringContaining(
    'cannot be written as JSON: at "/rows/0/id" it is a BigInt',
  ) as string;
  const error = { code: "TOOL_INVALID_OUTPUT", server: "static", message };
  expect(await make({ rows: [{ id: 10n }] }).safe({})).toMatchObject({ ok: false, error });
  const registry = createRegistry({ static: [make(1n)] });
  const executed = await createToolset(registry, { policy: {} }).answer("execute", { tool: "value" });
  expect(executed).toMatchObject({ isError: true, structuredContent: { error: "TOOL_EXECUTION_FAILED" } });
  expect((await offerDirectly(registry, {}).answer("value", {})).isError).toBe(true);
});

class Order {
  id = 1;
}
const shared = { a: 1 };

test.each([
  ["nothing", undefined],
  ["null", null],
  ["an absent member", { a: undefined }],
  ["a date", { at: new Date(0) }],
  ["a value used twice", { shared, again: shared }],
  ["an instance of a class", new Order()],
  ["an object without a prototype", Object.assign(Object.create(null) as object, { a: 1 })],
  ["content with its function", { text: "a", content: [{ type: "text", text: "a" }], json: () => 1 }],
])("a static tool may return %s", async (_what, value) => {
  expect(await make(value).safe({})).toMatchObject({ ok: true });
});

describe("the definition of a static tool", () => {
  const inputSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

  test.each([
    ["a plain schema", inputSchema],
    ["a function", () => inputSchema],
  ])("takes %s, and validates by it", async (_what, schema) => {
    const weather = defineStaticTool({
      name: "weather",
      inputSchema: schema,
      execute: ({ city }) => `Rain in ${String(city)}`,
    });
    expect(weather.definition.inputSchema()).toEqual(inputSchema);
    expect(await weather({ city: "Ulm" })).toBe("Rain in Ulm");
    expect(await weather.safe({ city: 1 })).toMatchObject({ error: { code: "TOOL_INVALID_INPUT" } });
  });

  test("takes a plain schema for models beside another one, needs one, and names the function", () => {
    const both = defineStaticTool({ name: "count-words", input: z.looseObject({}), inputSchema });
    expect(both.definition.inputSchema()).toBe(inputSchema);
    expect(both.name).toBe("count-words");
    // @ts-expect-error: neither of them
    expect(() => defineStaticTool({ name: "none" })).toThrow('Tool "none" has no schema of its input.');
  });
});
