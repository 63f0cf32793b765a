import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { defineStaticTool } from "../../../src/agent/index.js";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import type { RegisteredTool } from "../../../src/core/tool.js";
import { decide, findUnmatched, type PolicyTool } from "../../../src/core/decide.js";
import { createToolset } from "../../../src/agent/toolset/create-toolset.js";
import { addRole, type Policy, readPolicy } from "../../../src/core/policy.js";
import { openView } from "../../../src/agent/registry/tool-view.js";

const READS = { readOnlyHint: true };
const WRITES = { destructiveHint: false };

function tool(name: string, more: Partial<PolicyTool> = {}): PolicyTool {
  return { name: `shop__${name}`, server: "shop", isLocked: true, ...more };
}

test("a server is known by its name with hyphens too, and false wins over true for one server", () => {
  const writes = { "my-own": true, "my-shop": false, my_shop: true };
  expect(readPolicy("test", { writes })).toEqual({ writes: { my_own: true, my_shop: false } });
});

describe("decide", () => {
  test.each<[string, Policy, PolicyTool, string | undefined, boolean]>([
    ["reads are allowed", {}, tool("get", { annotations: READS }), undefined, true],
    [
      "hints of an unlocked tool do not count",
      {},
      tool("get", { annotations: READS, isLocked: false }),
      "WRITES_DISABLED",
      true,
    ],
    [
      "unless its server is trusted",
      { focusMode: "read-only" },
      tool("get", { annotations: READS, isLocked: false, hasTrustedHints: true, isProduction: true }),
      undefined,
      true,
    ],
    ["writes are off by default", {}, tool("add", { annotations: WRITES }), "WRITES_DISABLED", true],
    ["writes can be on", { writes: true }, tool("add", { annotations: WRITES }), undefined, true],
    ["for one server", { writes: { shop: true } }, tool("add"), undefined, true],
    ["and not for another", { writes: { other: true } }, tool("add"), "WRITES_DISABLED", true],
    [
      "nor by an inherited key",
      { writes: {} },
      { ...tool("x"), server: "constructor" },
      "WRITES_DISABLED",
      true,
    ],
    [
      "static tools write under static",
      { writes: { static: true } },
      { name: "x", isLocked: true },
      undefined,
      true,
    ],
    [
      "read-only hides what writes",
      { focusMode: "read-only", writes: true },
      tool("add"),
      "TOOL_NOT_ALLOWED",
      false,
    ],
    [
      "and shows what reads",
      { focusMode: "read-only" },
      tool("get", { annotations: READS }),
      undefined,
      true,
    ],
    [
      "content-editing goes by category",
      { focusMode: "content-editing" },
      tool("get", { annotations: READS, category: "media" }),
      undefined,
      true,
    ],
    [
      "and hides the others",
      { focusMode: "content-editing" },
      tool("get", { annotations: READS, category: "users" }),
      "TOOL_NOT_ALLOWED",
      false,
    ],
    [
      "without a category as well",
      { focusMode: "content-editing" },
      tool("get", { annotations: READS }),
      "TOOL_NOT_ALLOWED",
      false,
    ],
    [
      "a content editor destroys nothing",
      { role: "content-editor", writes: true },
      tool("x"),
      "TOOL_NOT_ALLOWED",
      false,
    ],
    [
      "but writes",
      { role: "content-editor", writes: true },
      tool("x", { annotations: WRITES }),
      undefined,
      true,
    ],
    [
      "an unlocked tool is not reviewed",
      { role: "content-editor", writes: true },
      tool("x", { annotations: READS, isLocked: false }),
      "TOOL_NOT_ALLOWED",
      false,
    ],
    [
      "unless the policy asserts what it does",
      { annotations: { "list-*": READS } },
      tool("list-all", { isLocked: false }),
      undefined,
      true,
    ],
    [
      "by more than its server's own hints",
      { annotations: { "list-*": { destructiveHint: false } }, focusMode: "read-only" },
      tool("list-all", { isLocked: false, annotations: READS }),
      "TOOL_NOT_ALLOWED",
      false,
    ],
    [
      "and not in production",
      { annotations: { "list-*": READS } },
      tool("list-all", { isLocked: false, isProduction: true }),
      "WRITES_DISABLED",
      true,
    ],
    ["annotations are asserted", { annotations: { "list-*": READS } }, tool("list-all"), undefined, true],
    [
      "the later one wins",
      { annotations: { "*": READS, "list-*": { readOnlyHint: false } } },
      tool("list-all"),
      "WRITES_DISABLED",
      true,
    ],
    ["for one server", { annotations: { "shop__list-*": READS } }, tool("list-all"), undefined, true],
    [
      "and not for one that names its tool like it",
      { annotations: { "shop__list-*": READS } },
      { name: "evil__shop__list-all", server: "evil", isLocked: true },
      "WRITES_DISABLED",
      true,
    ],
    [
      "deny is stronger than allow",
      { focusMode: "own", focusModes: { own: { allow: [{ names: ["*"] }], deny: [{ names: ["get-*"] }] } } },
      tool("get-users", { annotations: READS }),
      "TOOL_NOT_ALLOWED",
      false,
    ],
    [
      "a selector wants everything that it names",
      {
        focusMode: "own",
        focusModes: { own: { allow: [{ names: ["get-*"], effects: ["reads"], categories: ["content"] }] } },
      },
      tool("get-users", { annotations: READS, category: "users" }),
      "TOOL_NOT_ALLOWED",
      false,
    ],
  ])("%s", (_what, options, asked, code, isVisible) => {
    const decision = decide(asked, options);
    expect([decision.reasons[0]?.code, decision.isVisible, decision.isAllowed]).toEqual([
      code,
      isVisible,
      code === undefined,
    ]);
  });

  test("gives every reason", () => {
    const policy = { focusMode: "read-only", role: "content-editor" };
    expect(decide(tool("delete-all"), policy).reasons).toEqual([
      {
        code: "TOOL_NOT_ALLOWED",
        by: 'focus mode "read-only"',
        effect: "unstated",
        message:
          'Tool "shop__delete-all" (effect not stated, category "uncategorized") is not allowed by focus mode "read-only".',
        rule: { allow: [{ effects: ["reads"] }] },
      },
      expect.objectContaining({ by: 'role "content-editor"' }),
      expect.objectContaining({ code: "WRITES_DISABLED", by: "writes" }),
    ]);
  });

  test("gives as the reason that the tool is not locked", () => {
    const asked = tool("list-all", { annotations: READS, isLocked: false });
    expect(decide(asked, { focusMode: "read-only" }).reasons).toMatchObject([
      {
        message:
          'Tool "shop__list-all" (not locked, so it counts as destructive, category "uncategorized") is not allowed by focus mode "read-only".',
        because: "not-locked",
      },
      {
        message: expect.stringContaining(
          "(not locked, so it counts as destructive) may not be called: writes are",
        ) as string,
        because: "not-locked",
      },
    ]);
  });

  test("knows no mode or role that is not there", () => {
    expect(() => readPolicy("restrict", { focusMode: "admin" })).toThrow('There is no focus mode "admin".');
    expect(() => readPolicy("restrict", { role: "constructor" })).toThrow('There is no role "constructor".');
    expect(() => addRole({}, "full-admin")).toThrow('There is no role "full-admin".');
  });
});

describe("a malformed pattern", () => {
  const invalid = "[gd]elete_*";

  test.each<[string, () => unknown]>([
    [
      "restrict: policy.roles.own.deny[0].names[0]",
      () => readPolicy("restrict", { roles: { own: { deny: [{ names: [invalid] }] } } }),
    ],
    [
      "restrict: policy.focusModes.own.allow[0].categories[1]",
      () =>
        readPolicy("restrict", { focusModes: { own: { allow: [{ categories: ["content", invalid] }] } } }),
    ],
    ["restrict: policy.annotations[0]", () => readPolicy("restrict", { annotations: { [invalid]: READS } })],
    ["createRegistry: categories[0]", () => createRegistry({ categories: { [invalid]: "shop" } })],
    ["createToolset: core[0]", () => createToolset(createRegistry(), { show: "found", core: [invalid] })],
  ])("is refused at %s", (place, create) => {
    const message = `${place} is "[gd]elete_*": expected a name, or a pattern with "*", "?" and "{a,b}"; for "[" itself, write "?".`;
    expect(create).toThrow(expect.objectContaining({ code: "CONFIG_INVALID", message }) as Error);
  });
});

describe("what a mode or a role names and no tool has", () => {
  const roles = {
    guest: {
      allow: [{ names: ["get-*", "shop__get-*", "{list,find}-*"] }, { categories: ["media", "content*"] }],
      deny: [
        { names: ["get-post", "delete-*"], effects: ["reads" as const] },
        { effects: ["destroys" as const] },
      ],
    },
  };
  const messages = [
    'No tool matches "{list,find}-*", which role "guest" allows.',
    'No category of a tool matches "media", which role "guest" allows.',
    'No tool matches "delete-*", which role "guest" denies.',
  ];
  const clock = defineStaticTool({
    name: "get-post",
    description: "Gets a post.",
    category: "contents",
    input: z.object({}),
    execute: () => Promise.resolve(1),
  });

  test("is found, except for built-in modes and roles", () => {
    const tools = [tool("get-post", { category: "contents" })];
    const policy = { focusMode: "content-editing", role: "guest", roles };
    expect(findUnmatched(tools, policy).map(({ message }) => message)).toEqual(messages);
    expect(findUnmatched(tools, { focusMode: "content-editing", role: "content-editor" })).toEqual([]);
  });

  test.each<[string, (policy: Policy, onWarning: (message: string) => void) => () => Promise<unknown>]>([
    [
      "a toolset",
      (policy, onWarning) => {
        const toolset = createToolset(createRegistry({ static: [clock] }), { policy, onWarning });
        return () => toolset.answer("search_tools", { query: "post" });
      },
    ],
    [
      "a session",
      (policy, onWarning) => {
        const session = createToolset(createRegistry({ static: [clock] }), {
          show: "found",
          policy,
          onWarning,
        });
        return () => session.getTools();
      },
    ],
  ])("is reported once by %s", async (_what, open) => {
    const warnings: string[] = [];
    const use = open({ role: "guest", roles }, (message) => warnings.push(message));
    await use();
    await use();
    expect(warnings).toEqual(['No tool matches "shop__get-*", which role "guest" allows.', ...messages]);
  });
});

const names = fc.constantFrom("get-post", "list-posts", "add-post", "delete-post", "shop__get-post");
const annotations = fc.record(
  { readOnlyHint: fc.boolean(), destructiveHint: fc.boolean() },
  { requiredKeys: [] },
);
const categories = fc.constantFrom("content", "media", "users");
const anyTool = fc
  .record(
    {
      own: names,
      server: fc.constantFrom("shop", "evil"),
      category: categories,
      annotations,
      isLocked: fc.boolean(),
    },
    { requiredKeys: ["own", "server", "isLocked"] },
  )
  .map(({ own, ...rest }): PolicyTool => ({ name: `${rest.server}__${own}`, ...rest }));
const patterns = fc.constantFrom("*", "get-*", "*-post", "shop__*", "evil__shop__*", "delete-post");
const selector = fc
  .record(
    {
      categories: fc.array(categories, { maxLength: 2 }),
      names: fc.array(patterns, { maxLength: 2 }),
      effects: fc.subarray(["reads", "writes", "destroys"] as const),
    },
    { requiredKeys: [] },
  )
  .filter((conditions) => Object.keys(conditions).length > 0);
const rules = fc.record(
  { allow: fc.array(selector, { maxLength: 2 }), deny: fc.array(selector, { maxLength: 2 }) },
  { requiredKeys: [] },
);
const anyOptions: fc.Arbitrary<Policy> = fc
  .record({
    mode: rules,
    role: rules,
    writes: fc.oneof(fc.boolean(), fc.record({ shop: fc.boolean() })),
    annotations: fc.dictionary(patterns, annotations, { maxKeys: 2 }),
  })
  .map(({ mode, role, ...rest }) => ({
    ...rest,
    focusMode: "own",
    focusModes: { own: mode },
    roles: { own: role },
  }));

describe("whatever the policy", () => {
  test("a role taken at run time only narrows, and what is not allowed for writing reads", () => {
    fc.assert(
      fc.property(anyTool, anyOptions, fc.constantFrom("own", "content-editor"), (asked, policy, role) => {
        const wide = decide(asked, policy);
        const narrow = decide(asked, addRole(policy, role));
        expect(!narrow.isAllowed || wide.isAllowed).toBe(true);
        expect(!narrow.isVisible || wide.isVisible).toBe(true);
        expect(!wide.isAllowed || wide.isVisible).toBe(true);
        const readOnly = decide(asked, { ...policy, writes: false });
        if (readOnly.isAllowed && Object.keys(policy.annotations ?? {}).length === 0)
          expect([asked.annotations?.readOnlyHint, asked.isLocked]).toEqual([true, true]);
      }),
    );
  });

  test("no way through a list or a registry reaches a tool that it does not allow", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(anyTool, { selector: ({ name }) => name, maxLength: 6 }),
        anyOptions,
        async (asked, policy) => {
          const called: string[] = [];
          const tools = asked.map((one) => register(one, called));
          const restricted = openView({ getTools: () => Promise.resolve(tools) }).restrict(policy);
          for (const shown of [...openView(tools).restrict(policy).tools, ...(await restricted.getTools())])
            await shown.call({});
          for (const { name } of asked) {
            await (await restricted.getTool(name))?.call({});
            await restricted.call(name, {});
          }
          const allowed = asked.filter((one) => decide(one, policy).isAllowed).map(({ name }) => name);
          expect([...new Set(called)].sort()).toEqual(allowed.sort());
        },
      ),
      { numRuns: 200 },
    );
  });
});

function register(asked: PolicyTool, called: string[]): RegisteredTool {
  const call = (): Promise<{ ok: true; value: number }> => {
    called.push(asked.name);
    return Promise.resolve({ ok: true, value: 1 });
  };
  return { ...asked, input: z.object({}), inputSchema: () => ({}), call };
}

test("a restricted registry answers as one", async () => {
  const hello = defineStaticTool({
    name: "hello",
    input: z.object({}),
    annotations: READS,
    execute: () => "hi",
  });
  const wipe = defineStaticTool({ name: "wipe", input: z.object({}), execute: () => "gone" });
  const registry = createRegistry({ static: [hello, wipe] });
  const restricted = openView(registry).restrict({});
  expect((await restricted.getTools()).map(({ name }) => name)).toEqual(["hello", "wipe"]);
  expect(await restricted.call("hello", {})).toEqual({ ok: true, value: "hi" });
  expect(await restricted.call("wipe", {})).toMatchObject({
    error: {
      code: "WRITES_DISABLED",
      tool: "wipe",
      message: expect.stringContaining("a setting of this program") as unknown,
    },
  });
  expect(await (await restricted.getTool("wipe"))?.call({})).toMatchObject({
    error: { code: "WRITES_DISABLED" },
  });
  const reading = openView(registry).restrict({ focusMode: "read-only" });
  expect((await reading.getTools()).map(({ name }) => name)).toEqual(["hello"]);
  expect(await reading.getTool("wipe")).toBeUndefined();
  expect(await reading.call("wipe", {})).toMatchObject({ error: { code: "TOOL_NOT_ALLOWED" } });
  expect(await reading.call("none", {})).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
});

test("a view is restricted again, by a policy or a role of its own, and says what it decides", () => {
  const wipe = defineStaticTool({ name: "wipe", input: z.object({}), execute: () => "gone" });
  const registry = createRegistry({ static: [wipe] });
  expect(registry.decide("wipe")).toMatchObject({ isAllowed: true, isVisible: true });
  expect(registry.decide("none")).toEqual({ isAllowed: false, isVisible: false, reasons: [] });
  const guests = { guest: { deny: [{ names: ["wipe"] }] } };
  const writing = registry.restrict({ writes: true, roles: guests });
  expect(writing.decide("wipe").isAllowed).toBe(true);
  const hidden = writing.restrict("guest");
  expect(hidden.decide("wipe")).toMatchObject({ isVisible: false, reasons: [{ by: 'role "guest"' }] });
  expect(hidden.tools).toEqual([]);
  // A role of the first policy is not one of the second.
  expect(() => writing.restrict({}).restrict("guest")).toThrow('There is no role "guest".');
  const codes = registry.restrict({}).restrict({ focusMode: "read-only" }).decide("wipe").reasons;
  expect(codes.map(({ code }) => code)).toEqual(["WRITES_DISABLED", "TOOL_NOT_ALLOWED", "WRITES_DISABLED"]);
  for (const kind of [createToolset(registry), createToolset(registry, { show: "found", policy: {} })])
    expect(kind.decide("wipe").reasons).toMatchObject([{ code: "WRITES_DISABLED" }]);
  const toolset = createToolset(registry, { policy: { writes: true } });
  expect(toolset.restrict({}).decide("wipe").reasons).toMatchObject([{ code: "WRITES_DISABLED" }]);
});

describe("a registry with a policy", () => {
  const toolOf = (name: string, annotations: object) =>
    defineStaticTool({ name, annotations, input: z.object({}), execute: () => name });
  const tools = [toolOf("get", READS), toolOf("add", WRITES), toolOf("drop", {})];
  const registry = createRegistry({
    static: tools,
    policy: { writes: true, focusMode: "own", focusModes: { own: { deny: [{ effects: ["destroys"] }] } } },
  });

  test("hides tools, refuses their calls, and keeps its methods", async () => {
    expect((await registry.getTools()).map(({ name }) => name)).toEqual(["get", "add"]);
    expect(await registry.call("add", {})).toMatchObject({ ok: true });
    expect(await registry.call("drop", {})).toMatchObject({ error: { code: "TOOL_NOT_ALLOWED" } });
    registry.registerStaticTool(toolOf("list", READS));
    registry.registerStaticTool(toolOf("wipe", {}));
    expect(registry.tools.map(({ name }) => name)).toEqual(["get", "add", "list"]);
    expect(await registry.refresh()).toMatchObject({ ok: true });
  });

  test("gives it to a toolset that has none, in every environment", async () => {
    const answer = (options = {}) =>
      createToolset(registry, options).answer("execute", { tool: "add", args: {} });
    expect(await answer()).toMatchObject({ isError: false });
    expect(await answer({ policy: {} })).toMatchObject({ isError: true });
    const overview = await createToolset(registry).answer("introspect", {});
    expect(overview.structuredContent).toMatchObject({ policy: { focusMode: "own", writes: true } });
  });

  test("refuses a misspelt key and an unknown role", () => {
    expect(() => createRegistry({ policy: { wirtes: true } as never })).toThrow(/wirtes/);
    expect(() => createRegistry({ policy: { role: "guest" } })).toThrow(/guest/);
  });
});
