import { describe, expect, it } from "vitest";
import type { Config, ServerConfig } from "../../src/config/config.js";
import { outlineOf } from "../../src/core/lock-server.js";
import type { Lockfile } from "../../src/core/lockfile.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";
import { planFiles, type FilePlan, type PlanContext } from "../../src/emit/plan-files.js";
import { lockOf } from "./golden-cases.js";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const CONTEXT: PlanContext = { prettierConfig: "", importExtension: "js" };
const CONFIG: Config = {
  servers: { shop: { url: "https://example.com/mcp" }, posts: { file: "tools.json" } },
};
const TOOL: ToolSnapshot = {
  name: "get-cart",
  inputSchema: { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } },
};
const LOCK = lockOf(CONFIG, { shop: [TOOL, "add-item"], posts: ["list"] });

const planned = (lock: Lockfile = LOCK, config = CONFIG, context = CONTEXT): FilePlan =>
  planFiles(outlineOf(lock), config, context);
/** The configuration with these settings of the shop. */
const withShop = (settings: Partial<ServerConfig>): Config => ({
  servers: { ...CONFIG.servers, shop: { url: "https://example.com/mcp", ...settings } },
});
const inputOf = (path: string, plan: FilePlan): string | undefined =>
  plan.files.find((file) => file.path === path)?.input;

describe("planFiles", () => {
  it("plans a file per tool, three per server and one index", () => {
    expect(planned().files.map(({ path }) => path)).toEqual([
      "index.ts", "posts/index.ts", "posts/list.ts", "posts/schemas.ts", "posts/server.ts", "shop/add-item.ts", "shop/get-cart.ts",
      "shop/index.ts", "shop/schemas.ts", "shop/server.ts",
    ]); // prettier-ignore
    for (const { input } of planned().files) expect(input).toMatch(/^[0-9a-f]{16}$/);
  });

  it("omits excluded tools, and reports unusable ones", () => {
    const excluded = planned(LOCK, withShop({ tools: { exclude: ["add-*"] } }));
    expect(excluded.files.map(({ path }) => path)).not.toContain("shop/add-item.ts");
    expect(excluded.diagnostics).toEqual([]);

    const { shop } = LOCK.servers;
    const tool = shop?.tools["add-item"];
    if (shop === undefined || tool === undefined) throw new Error("The lock has no such tool.");
    const odd = { ...shop, tools: { "add-item": { ...tool, unusable: "It is odd." } } };
    const unusable = planned({ ...LOCK, servers: { ...LOCK.servers, shop: odd } });
    expect(unusable.files.map(({ path }) => path)).not.toContain("shop/add-item.ts");
    expect(unusable.diagnostics).toEqual([
      { code: "TOOL_UNUSABLE", server: "shop", tool: "add-item", path: "", message: "It is odd." },
    ]);
  });

  it.each([{ formats: "assert" }, { dialect: "wordpress" }, { defaults: "parse" }] as const)(
    "changes the files of only the server with %o",
    (settings) => {
      const { files } = planned(LOCK, withShop(settings));
      const changed = files.filter(({ path, input }) => input !== inputOf(path, planned()));
      const names = ["add-item", "get-cart", "server"];
      expect(changed.map(({ path }) => path)).toEqual(names.map((name) => `shop/${name}.ts`));
    },
  );

  it("reads tools of WordPress in its dialect, unless another one is configured", () => {
    const { shop } = LOCK.servers;
    if (shop === undefined) throw new Error("The lock has no such server.");
    const dialectOf = (server: typeof shop, settings = {}): unknown => {
      const config = { servers: { shop: { url: "https://example.com/mcp", ...settings } } };
      const plan = planned({ ...LOCK, servers: { shop: server } }, config);
      return plan.files.find(({ path }) => path === "shop/get-cart.ts")?.task;
    };
    const site = { ...shop, wordpress: { profile: "0.5", route: "tools" } } as const;
    expect(dialectOf(shop)).not.toHaveProperty("dialect");
    expect(dialectOf(site)).toHaveProperty("dialect", "wordpress");
    expect(dialectOf(site, { dialect: "draft-07" })).toHaveProperty("dialect", "draft-07");
  });

  it("omits a tool that could not be rendered, also from the index", () => {
    const refused = [{ server: "shop", tool: "get-cart", reason: "It refers to a file." }];
    const plan = planned(LOCK, CONFIG, { ...CONTEXT, refused });
    expect(plan.files.map(({ path }) => path)).not.toContain("shop/get-cart.ts");
    expect(inputOf("shop/index.ts", plan)).not.toBe(inputOf("shop/index.ts", planned()));
    expect(plan.diagnostics).toHaveLength(1);
  });

  it("emits a locked server that is not configured, without an endpoint", () => {
    const plan = planned(LOCK, { servers: {} });
    expect(plan.files.find(({ path }) => path === "shop/server.ts")?.task).toMatchObject({ settings: {} });
  });

  it("embeds only the connection settings of a server", () => {
    const settings = { command: "node", args: ["${SCRIPT}"], cwd: "sub" };
    const others = {
      tools: { include: ["*"] },
      categories: { "*": "all" },
      check: { failOn: "never" },
    } as const;
    const { files } = planned(LOCK, { servers: { shop: { ...others, ...settings } } });
    const task = files.find(({ path }) => path === "shop/server.ts")?.task;
    expect(task).toEqual({ kind: "server", server: "shop", contract: "1.0.0", settings });
  });

  it("reports the collisions of all servers at once", () => {
    const lock = lockOf(CONFIG, { shop: ["get-user", "get_user"], posts: ["a.b", "a-b"] });
    expect(() => planned(lock)).toThrow(
      expect.objectContaining({
        code: "NAME_COLLISION",
        message:
          'Tools "a-b" and "a.b" both become aB. Set servers.posts.tools.rename. ' +
          'Tools "get-user" and "get_user" both become getUser. Set servers.shop.tools.rename.',
      }),
    );
  });

  it("avoids the names of other tools", () => {
    const alone = planned(lockOf(CONFIG, { shop: [TOOL] }));
    expect(inputOf("shop/get-cart.ts", alone)).toBe(inputOf("shop/get-cart.ts", planned()));
  });
});

describe("the digest of a file's inputs", () => {
  const path = "shop/get-cart.ts";
  const before = inputOf(path, planned());
  const withTool = (tool: ToolSnapshot): FilePlan => planned(lockOf(CONFIG, { shop: [tool] }));

  it("is equal for equal inputs", () => {
    const turned = lockOf(CONFIG, { posts: ["list"], shop: ["add-item", TOOL] });
    expect(inputOf(path, planned(turned))).toBe(before);
  });

  const ROWS: [string, FilePlan][] = [
    ["a description", withTool({ ...TOOL, description: "new" })],
    ["the order of properties", withTool({ ...TOOL, inputSchema: { type: "object", properties: { b: { type: "string" }, a: { type: "string" } } } })],
    ["Prettier's configuration", planned(LOCK, CONFIG, { ...CONTEXT, prettierConfig: "semi: false" })],
    ["the import extension", planned(LOCK, CONFIG, { ...CONTEXT, importExtension: "none" })],
    ["a category", planned(lockOf({ servers: { shop: { url: "https://example.com", categories: { "*": "x" } } } }, { shop: [TOOL] }))],
  ]; // prettier-ignore

  it.each(ROWS)("changes with %s", (_, plan) => {
    expect(inputOf(path, plan)).toBeDefined();
    expect(inputOf(path, plan)).not.toBe(before);
  });

  it("changes with the server's URL for the server's file, not for a tool's", () => {
    const moved = planned(LOCK, withShop({ url: "https://example.org/mcp" }));
    expect(inputOf(path, moved)).toBe(before);
    expect(inputOf("shop/server.ts", moved)).not.toBe(inputOf("shop/server.ts", planned()));
  });
});

const src = fileURLToPath(new URL("../../src/", import.meta.url));

/** Returns our modules that importing a file loads, and the packages they import, without types and `import()`. */
function loadedBy(path: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  const text = readFileSync(path, "utf8");
  for (const [, to = ""] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from "([^"]+)";/gm)) {
    if (to.startsWith(".")) loadedBy(join(dirname(path), to.replace(/\.js$/, ".ts")), seen);
    else seen.add(to);
  }
  return seen;
}

describe("planning", () => {
  it.each(["emit/plan-files.ts", "emit/emit.ts"])("%s loads no printer and no formatter", (entry) => {
    const loaded = [...loadedBy(join(src, entry))].map((path) =>
      path.startsWith(src) ? relative(src, path).replaceAll("\\", "/") : path,
    );
    expect(loaded).toContain("emit/plan-files.ts");
    const schema = loaded.filter((path) => path.startsWith("schema/"));
    expect(schema).toEqual(["schema/print/identifiers.ts"]);
    const packages = loaded.filter((path) => !path.endsWith(".ts") && !path.startsWith("node:"));
    expect(packages).toEqual([]);
  });
});
