import * as example from "../../../generated/example/index.js";
import { describe, expect, it, test } from "vitest";
import { createRegistry, type RegisteredTool } from "../../../src/agent/index.js";
import { nearestNames, openCatalog, type ToolCatalog } from "../../../src/agent/toolset/toolset-catalog.js";
import { createToolNames } from "../../../src/agent/registry/tool-names.js";
import { fakeTool, READS } from "../adapters/fake-tool.js";
import { addRole, type Policy } from "../../../src/core/policy.js";
import { shopTools } from "./fake-registry.js";

const served = (name: string, more: Partial<RegisteredTool>): RegisteredTool =>
  fakeTool(`blog__${name}`, { server: "blog", ...more });

const TOOLS = [
  served("list_posts", { category: "content", description: "Lists posts.", ...READS }),
  served("create_post", { category: "content", description: "Creates a post." }),
  served("delete_user", { category: "users", description: "Deletes a user." }),
  served("ping", { description: "Answers." }),
  fakeTool("clock", { description: "Returns the time.", category: "time", ...READS }),
];

function finder(options: Policy = {}): ToolCatalog {
  return openCatalog(TOOLS, { policy: options });
}

describe("finding tools", () => {
  it("goes by words", async () => {
    const { hits, total } = await finder().find({ query: "write a new post", limit: 1 });
    expect(hits).toMatchObject([
      { tool: { name: "blog__create_post" }, score: expect.any(Number) as number },
    ]);
    expect(total).toBeGreaterThan(1);
  });

  it.each<[Parameters<ToolCatalog["find"]>[0], readonly string[]]>([
    [{ category: "content" }, ["blog__create_post", "blog__list_posts"]],
    [{ category: "uncategorized" }, ["blog__ping"]],
    [{ server: "static" }, ["clock"]],
    [{ category: "users", server: "static" }, []],
    [{ query: "  ", category: "time" }, ["clock"]],
    [{ query: "time", category: "users" }, []],
    [{ query: "delete", category: "users" }, ["blog__delete_user"]],
    [{ query: "time post", server: "static" }, ["clock"]],
  ])(
    "goes by category and server, in the order of names, and by words within them: %j",
    async (wanted, names) => {
      expect((await finder().find(wanted)).hits.map(({ tool }) => tool.name)).toEqual(names);
    },
  );
});

describe("nearest names", () => {
  const near = (name: string, options?: Policy): Promise<readonly string[]> =>
    nearestNames(name, finder(options), createToolNames(TOOLS).nameOf);

  it("are those that differ in few letters, and those about the same", async () => {
    expect((await near("creat-post"))[0]).toBe("create_post");
    expect((await near("ListPosts"))[0]).toBe("list_posts");
    expect((await near("blog__lst_posts"))[0]).toBe("list_posts");
    expect(await near("remove_user")).toEqual(["delete_user"]);
    expect(await near("xyzzy")).toEqual([]);
    // Nothing that a mode hides.
    expect(await near("lists_posts", { focusMode: "read-only" })).toEqual(["list_posts"]);
    expect(await near("delete_user", { focusMode: "read-only" })).toEqual([]);
  });

  it.each([
    ...["nope", "example__nope", "send_mail", "get_weather", "list"].map((name) => [name, []] as const),
    ["remove_posts", ["example__delete-post"]] as const,
  ])("for %s among the tools of a server are %j", async (name, names) => {
    const all = openCatalog(await createRegistry({ servers: [example] }).getTools(), { policy: {} });
    expect(await nearestNames(name, all, (tool) => tool.name)).toEqual(names);
  });

  it("are found for names of any length, and without an embedder that is down", async () => {
    expect(await near("__proto__")).toEqual([]);
    expect(await near("x".repeat(1_000_000))).toEqual([]);
    const embed = (): Promise<never> => Promise.reject(new Error("down"));
    const down = openCatalog(TOOLS, { policy: {}, embedder: { embed } });
    const warning = "The embedder failed, so the search uses words only: down";
    const byWords = await finder().find({ query: "post" });
    expect(await down.find({ query: "post" })).toEqual({ ...byWords, warning });
    const names = await nearestNames("create_pos", down, createToolNames(TOOLS).nameOf);
    expect(names).toEqual(await near("create_pos"));
  });
});

const roles = { clerk: { deny: [{ names: ["*_order"] }] } };
const hint = { readOnlyHint: true };

const ROWS: [string, Policy, Policy, boolean][] = [
  ["the same settings", { writes: true }, { writes: true }, true],
  ["the same role", { roles, role: "clerk" }, { roles, role: "clerk" }, true],
  ["the same hints", { annotations: { "list_*": hint } }, { annotations: { "list_*": hint } }, true],
  ["other writes", { writes: true }, {}, false],
  ["another mode", {}, { focusMode: "read-only" }, false],
  ["a role", { roles }, { roles, role: "clerk" }, false],
  ["a role of the same name", { roles, role: "clerk" }, { roles: { clerk: { deny: [] } }, role: "clerk" }, false],
  ["hints for others", { annotations: { "list_*": hint } }, { annotations: { "get_*": hint } }, false],
  ["other hints", { annotations: { "list_*": hint } }, { annotations: { "list_*": { readOnlyHint: false } } }, false],
]; // prettier-ignore

test.each(ROWS)("policies of %s share a catalog or not", (_what, a, b, isShared) => {
  const tools = shopTools();
  const one = openCatalog(tools, { policy: a });
  const other = openCatalog(tools, { policy: b });
  expect(other === one).toBe(isShared);
});

test("sessions that were narrowed alike share one, and other lists have their own", () => {
  const policy = { writes: true };
  const tools = shopTools();
  const one = openCatalog(tools, { policy: addRole(policy, "content-editor") });
  expect(openCatalog(tools, { policy: addRole(policy, "content-editor") })).toBe(one);
  expect(openCatalog([...tools], { policy: addRole(policy, "content-editor") })).not.toBe(one);
  expect(one.byName.has("shop__delete_order")).toBe(false);
  expect(openCatalog(tools, { policy }).byName.has("shop__delete_order")).toBe(true);
});

test("many policies at once are answered for each", () => {
  const tools = shopTools();
  const policies = tools.map(({ name }) => ({
    focusMode: "own",
    focusModes: { own: { allow: [{ names: [name] }] } },
  }));
  for (const [at, policy] of [...policies.entries(), ...policies.entries()]) {
    expect([...openCatalog(tools, { policy }).byName.keys()]).toEqual([tools[at]?.name]);
  }
});
