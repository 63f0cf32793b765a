/** Sessions against a simple model of them, whatever order things happen in. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createToolset } from "../../../src/agent/toolset/create-toolset.js";
import type { Policy } from "../../../src/agent/index.js";
import { decide } from "../../../src/core/decide.js";
import { fakeRegistry, shopTools, searchIn } from "./fake-registry.js";

const TOOLS = shopTools();
const NAMES = TOOLS.map(({ name }) => name);
const ROLES = { clerk: { deny: [{ names: ["*_ledger", "create_order"] }] } };

type Command =
  | { readonly do: "search"; readonly query: string; readonly limit: number }
  | { readonly do: "call" | "remove" | "restore"; readonly name: string }
  | { readonly do: "clear" | "narrow" | "list" };

const name = fc.constantFrom(...NAMES);
const commands: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("search" as const),
      // A noun alone finds several tools.
      query: fc
        .oneof(name, fc.constantFrom("invoice", "ledger", "order"))
        .map((text) => text.replaceAll("_", " ")),
      limit: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("call" as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remove" as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restore" as const), name }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom("clear" as const, "narrow" as const, "list" as const) }),
  },
);
const settings = fc.record({
  core: fc.subarray(["list_order", "*_ledger"]),
  limit: fc.constant(3),
  maxActive: fc.integer({ min: 3, max: 6 }),
});

test("one thing after another: the bound, the order, who leaves, and that nothing else is called", async () => {
  await fc.assert(
    fc.asyncProperty(settings, fc.array(commands, { maxLength: 30 }), async (given, sequence) => {
      const registry = fakeRegistry(TOOLS);
      const all = registry.tools;
      let policy: Policy = { writes: true, roles: ROLES };
      let session = createToolset(registry, { show: "found", ...given, policy, onWarning: () => undefined });
      const isVisible = (tool: (typeof all)[number]): boolean => decide(tool, policy).isVisible;
      const isCore = (text: string): boolean =>
        (text === "shop__list_order" && given.core.includes("list_order")) ||
        (text.endsWith("_ledger") && given.core.includes("*_ledger"));
      // The model: found tools in order, and since when each was not used.
      let found: { readonly name: string; used: number }[] = [];
      let now = 0;
      const there = (): readonly string[] => registry.tools.filter(isVisible).map((tool) => tool.name);
      for (const command of sequence) {
        switch (command.do) {
          case "search": {
            const { query, limit } = command;
            const { tools } = await searchIn(session, { query, limit });
            const hits = tools.map((tool) => tool.name);
            expect(hits.length).toBeLessThanOrEqual(command.limit);
            expect(there()).toEqual(expect.arrayContaining(hits));
            const news = hits.filter((hit) => !isCore(hit));
            for (const hit of news)
              if (!found.some((entry) => entry.name === hit)) found.push({ name: hit, used: 0 });
            for (const hit of news.toReversed()) {
              const entry = found.find((one) => one.name === hit);
              now += 1;
              if (entry !== undefined) entry.used = now;
            }
            while (found.length > given.maxActive) {
              const [oldest] = found.toSorted((a, b) => a.used - b.used);
              found = found.filter((entry) => entry !== oldest);
            }
            break;
          }
          case "call": {
            const before = registry.called.length;
            const result = await session.call(command.name, {});
            // Calling looks at the list, and what is not there any more leaves by that.
            found = found.filter((entry) => there().includes(entry.name));
            const entry = found.find((one) => one.name === command.name);
            const isActive = entry !== undefined || (isCore(command.name) && there().includes(command.name));
            expect(result.ok).toBe(isActive);
            expect(registry.called.slice(before)).toEqual(isActive ? [command.name] : []);
            now += 1;
            if (entry !== undefined) entry.used = now;
            break;
          }
          case "remove":
            registry.tools = registry.tools.filter((tool) => tool.name !== command.name);
            break;
          case "restore":
            registry.tools = all.filter(
              (tool) => tool.name === command.name || registry.tools.some((one) => one.name === tool.name),
            );
            break;
          case "clear":
            session.clear();
            found = [];
            break;
          case "narrow":
            session = session.restrict("clerk");
            policy = { writes: true, roles: ROLES, role: "clerk" };
            break;
          case "list": {
            found = found.filter((entry) => there().includes(entry.name));
            const listed = (await session.getTools()).map((tool) => tool.name);
            const core = there().filter(isCore);
            expect(listed).toEqual(["search_tools", ...core, ...found.map((entry) => entry.name)]);
            expect(new Set(listed).size).toBe(listed.length);
            break;
          }
          default:
            command satisfies never;
        }
        expect(session.found).toEqual(found.map((entry) => entry.name));
      }
    }),
    { numRuns: 150 },
  );
});
