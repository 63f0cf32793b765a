import * as fc from "fast-check";
import { expect, it } from "vitest";
import { type Policy } from "../../../src/core/policy.js";
import { createToolset } from "../../../src/agent/toolset/create-toolset.js";
import { decide } from "../../../src/core/decide.js";
import type { RegisteredTool } from "../../../src/core/tool.js";
import { type ToolAnswer } from "../../../src/agent/toolset/toolset.js";
import { fakeTool } from "../adapters/fake-tool.js";
import { anyRules } from "../../core/any-policy.js";

/** Words that no answer but one about the tool holds. */
const SECRETS = ["amber", "birch", "cedar", "daisy", "elder", "fennel"];
const CATEGORIES = ["content", "users"];
const HINTS = [{ readOnlyHint: true }, { destructiveHint: false }, undefined];

const tools = SECRETS.map((secret, index): RegisteredTool => {
  const server = index % 2 === 0 ? "shop" : "blog";
  const annotations = HINTS[index % HINTS.length];
  return fakeTool(`${server}__${secret}_post`, {
    server,
    category: CATEGORIES[index % 2] ?? "",
    description: `Handles ${secret} posts.`,
    ...(annotations && { annotations }),
    call: () => Promise.resolve({ ok: true, value: { called: secret } }),
  });
});

const rules = anyRules(CATEGORIES, ["*", "shop__*", "*_post", "amber*", "blog__birch_post"]);
const policies = fc
  .record({ mode: rules, role: rules, writes: fc.oneof(fc.boolean(), fc.record({ shop: fc.boolean() })) })
  .map(({ mode, role, writes }): Policy => {
    return { focusMode: "own", focusModes: { own: mode }, role: "own", roles: { own: role }, writes };
  });

const prefixes = fc.constantFrom("", "shop__", "blog__");
const names = fc
  .tuple(prefixes, fc.constantFrom(...SECRETS), fc.constantFrom("_post", "_pots", ""))
  .map((parts) => parts.join(""));
const calls = fc.oneof(
  fc.constant(["introspect", {}] as const),
  fc.constant(["context", {}] as const),
  fc.constantFrom("handle posts", ...SECRETS).map((query) => ["search_tools", { query, limit: 10 }] as const),
  fc.constantFrom(...CATEGORIES).map((category) => ["search_tools", { category }] as const),
  fc
    .record({
      tools: fc.array(names, { minLength: 1, maxLength: 3 }),
      format: fc.constantFrom("schema", "typescript"),
    })
    .map((args) => ["describe_tools", args] as const),
  names.map((tool) => ["execute", { tool, args: {} }] as const),
);

it("reaches nothing that a policy forbids, whatever is asked", async () => {
  await fc.assert(
    fc.asyncProperty(policies, fc.array(calls, { minLength: 1, maxLength: 5 }), async (policy, asked) => {
      const toolset = createToolset(tools, { policy });
      for (const [name, args] of asked) {
        const answer = await toolset.answer(name, args);
        tools.forEach((tool, index) => {
          expectKept(answer, args, tool, SECRETS[index] ?? "", policy);
        });
      }
    }),
    { numRuns: 200 },
  );
});

function expectKept(
  { content, structuredContent, isError }: ToolAnswer,
  asked: object,
  tool: RegisteredTool,
  secret: string,
  policy: Policy,
): void {
  const { isAllowed, isVisible } = decide(tool, policy);
  const said = JSON.stringify([content, structuredContent]);
  if (!isAllowed) expect(said).not.toContain(`called\\":\\"${secret}`);
  if (isVisible) return;
  expect(said).not.toContain(`Handles ${secret}`);
  // A hidden tool is named only to those who named it, and then in an error or among what is not found.
  if (!JSON.stringify(asked).includes(secret)) expect(said).not.toContain(secret);
  if (!isError && structuredContent !== undefined)
    expect(JSON.stringify(structuredContent["tools"] ?? [])).not.toContain(secret);
}
