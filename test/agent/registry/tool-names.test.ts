import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { RegisteredTool } from "../../../src/core/tool.js";
import { createToolNames, lookUpAgain, nameForModels } from "../../../src/agent/registry/tool-names.js";
import { fakeTool } from "../adapters/fake-tool.js";

function served(server: string, own: string): RegisteredTool {
  return fakeTool(`${server}__${own}`, { server });
}

describe("names of tools", () => {
  it.each<
    [string, readonly RegisteredTool[], readonly string[], Readonly<Record<string, readonly string[]>>]
  >([
    [
      "are bare where one server is served",
      [fakeTool("clock"), served("blog", "post")],
      ["clock", "post"],
      { post: ["blog__post"], blog__post: ["blog__post"] },
    ],
    [
      "are whole where several are",
      [served("blog", "post"), served("shop", "list")],
      ["blog__post", "shop__list"],
      { list: ["shop__list"] },
    ],
    [
      "are whole where a tool of the program's own is called the same",
      [fakeTool("search"), served("blog", "search")],
      ["search", "blog__search"],
      { search: ["search"] },
    ],
    [
      "say all that a name may stand for",
      [served("blog", "list"), served("shop", "list")],
      ["blog__list", "shop__list"],
      { list: ["blog__list", "shop__list"], constructor: [], ["__proto__"]: [] },
    ],
  ])("%s", (_what, tools, shown, foundByName) => {
    const names = createToolNames(tools);
    expect(tools.map((tool) => names.nameOf(tool))).toEqual(shown);
    for (const [name, expected] of Object.entries(foundByName))
      expect(names.find(name).map((tool) => tool.name)).toEqual(expected);
  });

  it("find a tool by each name that is shown, and none but that", () => {
    // A server may call a tool as another server's would be called.
    const tools = [served("a", "b__list"), served("b", "list"), served("b", "a__b__list"), fakeTool("list")];
    const names = createToolNames(tools);
    for (const tool of tools) expect(names.find(names.nameOf(tool))).toEqual([tool]);
  });
});

it.each<[name: string, asked: readonly string[]]>([
  ["list", ["blog__list", "shop__list"]],
  ["shop__list", ["shop__list"]],
  ["off__list", []],
  ["wiki__list", ["blog__wiki__list", "shop__wiki__list"]],
])("an unknown name %s is looked up as %j, and never in a disabled server", async (name, asked) => {
  const lookups: string[] = [];
  const servers = ["blog", "off", "shop"].map((server) => ({
    ...{ name: server, isEnabled: server !== "off", toolCount: 0 },
  }));
  const getTool = (toolName: string): Promise<undefined> => {
    lookups.push(toolName);
    return Promise.resolve(undefined);
  };
  await lookUpAgain({ servers, getTool }, name);
  expect(lookups).toEqual(asked);
});

const nameAll = (names: readonly string[]): readonly string[] => [
  ...nameForModels(names.map((name) => ({ name }))).keys(),
];

test("a name that fits and begins with a letter or _ stays, another gets a digest of the whole", () => {
  const long = `wordpress__${"very-".repeat(20)}long`;
  // The same on every machine and in every release: a conversation goes on under these names.
  expect(nameAll(["wordpress__get-post", "_ok", "3d_render", "-dash", "posts.create", long])).toEqual([
    ...["wordpress__get-post", "_ok", "_3d_render_7a8259fb", "_-dash_786bbbb4", "posts_create_f78ae292"],
    "wordpress__very-very-very-very-very-very-very-very-very_ffdbb620",
  ]);
});

test("names that differ only in what does not fit, or after the end, stay apart", () => {
  const ends = ["a", "b"].map((end) => `${"x".repeat(70)}${end}`);
  expect(new Set(nameAll(["a.b", "a/b", "a_b", "a b", "ä", ...ends])).size).toBe(7);
});

test("a name that a shortened one would get is left to its owner", () => {
  const [taken = ""] = nameAll(["a.b"]);
  const tools = nameForModels([{ name: "a.b" }, { name: taken }]);
  expect(tools.get(taken)?.name).toBe(taken);
  expect(tools.size).toBe(2);
});

test("any names become names that fit, one each, the same in any order and whatever else there is", () => {
  const name = fc.oneof(fc.string({ minLength: 1, maxLength: 200 }), fc.stringMatching(/^[a-z_.-]{1,80}$/));
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 30 }), (names) => {
      const given = nameForModels(names.map((one) => ({ name: one })));
      expect([...given.values()].map((tool) => tool.name)).toEqual(names);
      for (const key of given.keys()) expect(key).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
      const byOwner = new Map([...given].map(([key, tool]) => [tool.name, key]));
      for (const [key, tool] of nameForModels(names.toReversed().map((one) => ({ name: one })))) {
        expect(key).toBe(byOwner.get(tool.name));
      }
    }),
  );
});
