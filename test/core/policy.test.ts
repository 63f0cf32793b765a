import { describe, expect, test } from "vitest";
import { decide, findUnmatched, type PolicyTool } from "../../src/core/decide.js";
import { addRole, type Policy, readPolicy } from "../../src/core/policy.js";

const READS = { readOnlyHint: true };
const WRITES = { destructiveHint: false };

function tool(name: string, more: Partial<PolicyTool> = {}): PolicyTool {
  return { name: `shop__${name}`, server: "shop", isLocked: true, ...more };
}

test("a server is known by its name with hyphens too, and false wins over true for one server", () => {
  const writes = { "my-own": true, "my-shop": false, my_shop: true };
  expect(readPolicy("test", { writes })).toEqual({ writes: { my_own: true, my_shop: false } });
});

const GET = tool("get", { annotations: READS });
const ADD = tool("add", { annotations: WRITES });
const ANY = tool("any");
const LIST = tool("list-all");
const UNLOCKED_LIST = { ...LIST, isLocked: false };
const LISTS_READ = { "list-*": READS };
const EDITOR: Policy = { role: "content-editor", writes: true };
const own = (rules: object): Policy => ({ focusMode: "own", focusModes: { own: rules } });

/** What a decision does to a tool: it may be called, shown but not called, or neither. */
const OUTCOMES = {
  called: [undefined, true, true],
  shown: ["WRITES_DISABLED", true, false],
  hidden: ["TOOL_NOT_ALLOWED", false, false],
} as const;

describe("decide", () => {
  const ROWS: [string, Policy, PolicyTool, keyof typeof OUTCOMES][] = [
    ["reads are allowed", {}, GET, "called"],
    ["hints of an unlocked tool do not count", {}, { ...GET, isLocked: false }, "shown"],
    ["unless its server is trusted", { focusMode: "read-only" }, { ...GET, isLocked: false, hasTrustedHints: true, isProduction: true }, "called"],
    ["writes are off by default", {}, ADD, "shown"],
    ["writes can be on", { writes: true }, ADD, "called"],
    ["for one server", { writes: { shop: true } }, ANY, "called"],
    ["and not for another", { writes: { other: true } }, ANY, "shown"],
    ["nor by an inherited key", { writes: {} }, { ...ANY, server: "constructor" }, "shown"],
    ["static tools write under static", { writes: { static: true } }, { name: "x", isLocked: true }, "called"],
    ["read-only hides what writes", { focusMode: "read-only", writes: true }, ADD, "hidden"],
    ["and shows what reads", { focusMode: "read-only" }, GET, "called"],
    ["content-editing goes by category", { focusMode: "content-editing" }, { ...GET, category: "media" }, "called"],
    ["and hides the others", { focusMode: "content-editing" }, { ...GET, category: "users" }, "hidden"],
    ["without a category as well", { focusMode: "content-editing" }, GET, "hidden"],
    ["a content editor destroys nothing", EDITOR, ANY, "hidden"],
    ["but writes", EDITOR, ADD, "called"],
    ["an unlocked tool is not reviewed", EDITOR, { ...GET, isLocked: false }, "hidden"],
    ["unless the policy asserts what it does", { annotations: LISTS_READ }, UNLOCKED_LIST, "called"],
    ["by more than its server's own hints", { annotations: { "list-*": { destructiveHint: false } }, focusMode: "read-only" }, { ...UNLOCKED_LIST, annotations: READS }, "hidden"],
    ["and not in production", { annotations: LISTS_READ }, { ...UNLOCKED_LIST, isProduction: true }, "shown"],
    ["annotations are asserted", { annotations: LISTS_READ }, LIST, "called"],
    ["the later one wins", { annotations: { "*": READS, "list-*": { readOnlyHint: false } } }, LIST, "shown"],
    ["for one server's tool", { annotations: { "shop__list-*": READS } }, LIST, "called"],
    ["and not for one that names its tool like it", { annotations: { "shop__list-*": READS } }, { name: "evil__shop__list-all", server: "evil", isLocked: true }, "shown"],
    ["deny is stronger than allow", own({ allow: [{ names: ["*"] }], deny: [{ names: ["g*"] }] }), GET, "hidden"],
    ["a selector wants everything that it names", own({ allow: [{ names: ["get*"], effects: ["reads"], categories: ["content"] }] }), { ...GET, category: "users" }, "hidden"],
  ]; // prettier-ignore

  test.each(ROWS)("%s", (_what, policy, asked, outcome) => {
    const { reasons, isVisible, isAllowed } = decide(asked, policy);
    expect([reasons[0]?.code, isVisible, isAllowed]).toEqual(OUTCOMES[outcome]);
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

test.each<[string, Policy]>([
  ["roles.own.deny[0].names[0]", { roles: { own: { deny: [{ names: ["[gd]elete_*"] }] } } }],
  ["focusModes.own.allow[0].categories[1]", own({ allow: [{ categories: ["content", "[gd]elete_*"] }] })],
  ["annotations[0]", { annotations: { "[gd]elete_*": READS } }],
])("a malformed pattern is refused at %s", (place, policy) => {
  const message = `restrict: policy.${place} is "[gd]elete_*": expected a name, or a pattern with "*", "?" and "{a,b}"; for "[" itself, write "?".`;
  expect(() => readPolicy("restrict", policy)).toThrow(
    expect.objectContaining({ code: "CONFIG_INVALID", message }) as Error,
  );
});

test("names of a mode or a role that no tool has are found, except of built-in ones", () => {
  const guest = {
    allow: [{ names: ["get-*", "shop__get-*", "{list,find}-*"] }, { categories: ["media", "content*"] }],
    deny: [
      { names: ["get-post", "delete-*"], effects: ["reads" as const] },
      { effects: ["destroys" as const] },
    ],
  };
  const tools = [tool("get-post", { category: "contents" })];
  const policy = { focusMode: "content-editing", role: "guest", roles: { guest } };
  expect(findUnmatched(tools, policy).map(({ message }) => message)).toEqual([
    'No tool matches "{list,find}-*", which role "guest" allows.',
    'No category of a tool matches "media", which role "guest" allows.',
    'No tool matches "delete-*", which role "guest" denies.',
  ]);
  expect(findUnmatched(tools, { focusMode: "content-editing", role: "content-editor" })).toEqual([]);
});
