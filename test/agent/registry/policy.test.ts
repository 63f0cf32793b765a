import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import { defineStaticTool, createToolset } from "../../../src/agent/index.js";
import { decide } from "../../../src/core/decide.js";
import { addRole } from "../../../src/core/policy.js";
import { anyOptions, anyTool } from "../../core/any-policy.js";

const READS = { readOnlyHint: true };
const WRITES = { destructiveHint: false };

test.each<[string, (pattern: string) => unknown]>([
  ["createRegistry: categories[0]", (name) => createRegistry({ categories: { [name]: "shop" } })],
  ["createToolset: core[0]", (name) => createToolset(createRegistry(), { show: "found", core: [name] })],
])("a malformed pattern is refused at %s", (place, create) => {
  expect(() => create("[gd]elete_*")).toThrow(`${place} is "[gd]elete_*": expected a name`);
});

test.each(["a toolset", "a session"])("a name that no tool has is reported once by %s", async (kind) => {
  const clock = defineStaticTool({ name: "clock", input: z.object({}), execute: () => 1 });
  const registry = createRegistry({ static: [clock] });
  const warnings: string[] = [];
  const onWarning = (message: string): void => void warnings.push(message);
  const policy = { role: "guest", roles: { guest: { deny: [{ names: ["get-*"] }] } } };
  const toolset = createToolset(registry, { policy, onWarning });
  const session = createToolset(registry, { show: "found", policy, onWarning });
  for (let time = 0; time < 2; time += 1)
    await (kind === "a session" ? session.getTools() : toolset.answer("search_tools", { query: "time" }));
  expect(warnings).toEqual(['No tool matches "get-*", which role "guest" denies.']);
});

test("a role taken at run time only narrows, and what is not allowed for writing reads", () => {
  fc.assert(
    fc.property(anyTool, anyOptions, fc.constantFrom("guest", "content-editor"), (asked, policy, role) => {
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
    const unknown = await registry.restrict({ focusMode: "read-only" }).call("addd", {});
    expect(JSON.stringify(unknown)).toMatch(/TOOL_NOT_FOUND.*no tool \\"addd\\"\.?"/);
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
