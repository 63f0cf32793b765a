import { describe, expect, it } from "vitest";
import type { ServerSnapshot } from "../../../../src/core/snapshot.js";
import { snapshotServer } from "../../../../src/sources/snapshot-server.js";
import { MORE_SITE_PROBLEMS, readSiteProblem, SITE_PROBLEMS } from "../../../wordpress/site-problems.js";
import { fixtureCommand, startFixture } from "../../../servers/start-fixture.js";
import { PATH, snapshot, snapshotFixture } from "./snapshot-fixture.js";

const namesOf = ({ tools }: ServerSnapshot): readonly string[] => tools.map(({ name }) => name);

const PUBLIC = [
  "content-count",
  "content-create-post",
  "content-delete-posts",
  "content-empty",
  "content-fails-softly",
  "content-get-post",
  "content-list-posts",
];

it("reports the deprecated server of WooCommerce once, with its replacement", async () => {
  const notesOf = async (path: string): Promise<readonly string[]> => {
    const { diagnostics } = await snapshotFixture(["--server", "custom"], { path });
    return diagnostics.flatMap(({ code, message }) => (code === "SERVER_DEPRECATED" ? [message] : []));
  };
  const note = expect.stringContaining("/mcp/mcp-adapter-default-server") as string;
  expect(await notesOf("/wp-json/woocommerce/mcp")).toEqual([note]);
  expect(await notesOf("/?rest_route=/woocommerce/mcp")).toEqual([note]);
  expect(await notesOf("/wp-json/mcp/woocommerce")).toEqual([]);
});

describe("the adapter's default server", () => {
  it("becomes one tool per ability, each with its registration", async () => {
    const seen = await snapshotFixture([]);
    expect(namesOf(seen)).toEqual(PUBLIC);
    expect(seen.wordpress).toEqual({ profile: "0.4", route: "execute" });
    expect(seen.listing).toMatchObject({ principal: "${WP_USER}", locale: "en_US" });
    expect(seen.abilities?.["content-get-post"]?.definition).toMatchObject({
      name: "content/get-post",
      category: "content",
      meta: { mcp: { public: true } },
    });
    expect(seen.abilities?.["content-count"]?.definition).not.toHaveProperty("input_schema");
    expect(seen.tools.find(({ name }) => name === "content-delete-posts")).toMatchObject({
      inputSchema: { properties: { input: { type: "array" } }, required: ["input"] },
      outputSchema: { properties: { result: { type: "boolean" } } },
    });
  });

  it("has the same contract with an open, closed or partial REST API", async () => {
    const [open, closed, partial] = await Promise.all([
      snapshotFixture([]),
      snapshotFixture(["--rest", "closed"]),
      snapshotFixture(["--rest", "partial"]),
    ]);
    expect(closed.tools).toEqual(open.tools);
    expect(partial.tools).toEqual(open.tools);
    expect(closed.listing.locale).toBeUndefined();
    expect(closed.abilities?.["content-get-post"]?.definition).not.toHaveProperty("category");
  });

  it.each([
    ["no tools", 0, PATH],
    ["only some of its own tools", 2, PATH],
    ["only some of its own tools", 1, "/?rest_route=/mcp/mcp-adapter-default-server/"],
  ])("is not verified if it lists %s (%i)", async (what, count, path) => {
    const args = ["--metatools", String(count)];
    await expect(snapshotFixture(args, { path })).rejects.toMatchObject({
      code: "LIST_INCOMPLETE",
      message: `The MCP adapter's default server lists ${what}.`,
    });
    // A configured route needs no other tools.
    expect((await snapshotFixture(args, { path, wordpress: { route: "tools" } })).tools).toHaveLength(count);
    expect((await snapshotFixture(args, { path: "/wp-json/mcp/other" })).tools).toHaveLength(count);
  });

  it("works over stdio", async () => {
    const seen = await snapshot(fixtureCommand("wordpress"));
    expect(namesOf(seen)).toEqual(PUBLIC);
    expect(seen.wordpress).toEqual({ profile: "0.4", route: "execute" });
  });

  it("works with plain permalinks", async () => {
    const path = "/?rest_route=/mcp/mcp-adapter-default-server";
    const seen = await snapshotFixture(["--problem", "plain-permalinks"], { path });
    expect(namesOf(seen)).toEqual(PUBLIC);
    expect(seen.listing.locale).toBe("en_US");
  });

  it("follows the configuration", async () => {
    const newer = await snapshotFixture([], { wordpress: { profile: "0.5" } });
    expect(newer.wordpress).toEqual({ profile: "0.5", route: "execute" });
    expect(newer.tools[0]).toHaveProperty("title");
    const plain = await snapshotFixture([], { wordpress: { route: "tools" } });
    expect(namesOf(plain)).toEqual([
      "mcp-adapter-discover-abilities",
      "mcp-adapter-execute-ability",
      "mcp-adapter-get-ability-info",
    ]);
    const rest = await snapshotFixture([], { wordpress: { route: "rest" } });
    expect(namesOf(rest)).toEqual([...PUBLIC, "content-private"].sort());
    expect(rest.wordpress?.route).toBe("rest");
  });

  it("omits an ability that is too deep to be locked, and reports it", async () => {
    for (const rest of ["open", "closed"]) {
      const seen = await snapshotFixture(["--deep", "yes", "--rest", rest]);
      expect(namesOf(seen)).toEqual(PUBLIC);
      expect(seen.diagnostics).toMatchObject([
        {
          code: "TOOL_UNUSABLE",
          tool: "content-deep",
          message: expect.stringContaining("nested too deeply") as string,
        },
      ]);
    }
    const tools = await snapshotFixture(["--deep", "yes", "--server", "custom"], {
      path: "/wp-json/mcp/shop",
    });
    expect(tools.abilities).not.toHaveProperty("content-deep");
  });

  it("lists 300 abilities, from pages of the REST API or one by one", async () => {
    const count = async (rest: string): Promise<number> => {
      const seen = await snapshotFixture(["--abilities", "300", "--rest", rest]);
      return seen.tools.length;
    };
    expect(await count("open")).toBe(307);
    expect(await count("closed")).toBe(307);
  });
});

describe("an aborted pull", () => {
  it("ends immediately, and adds few listeners to its signal", async () => {
    const server = await startFixture("wordpress", {
      args: ["--abilities", "200", "--rest", "closed", "--latency", "200"],
    });
    const controller = new AbortController();
    const { signal } = controller;
    let [now, most] = [0, 0];
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      most = Math.max(most, (now += 1));
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      now -= 1;
      remove(...args);
    };
    const target = { server: "wordpress", settings: { url: server.url.replace("/mcp", PATH) } };
    const stopped = snapshotServer(target, { dir: ".", lookup: () => undefined, signal });
    setTimeout(() => {
      controller.abort(new Error("enough"));
    }, 1_000);
    try {
      await expect(stopped).rejects.toThrow("enough");
      // Node warns at more than ten listeners.
      expect(most).toBeGreaterThan(0);
      expect(most).toBeLessThan(10);
    } finally {
      await server.close();
    }
  });
});

describe("a server of the adapter that lists its abilities as tools", () => {
  it.each(["0.4", "0.5"] as const)("is detected with adapter %s", async (adapter) => {
    const seen = await snapshotFixture(["--server", "custom", "--adapter", adapter], {
      path: "/wp-json/mcp/shop",
    });
    expect(namesOf(seen)).toEqual([...PUBLIC, "content-private"].sort());
    expect(seen.wordpress).toEqual({ profile: adapter, route: "tools" });
    expect(seen.abilities?.["content-get-post"]?.definition["category"]).toBe("content");
  });

  it("is detected by its definitions when the REST API is closed", async () => {
    const closed = ["--server", "custom", "--rest", "closed", "--adapter"];
    expect((await snapshotFixture([...closed, "0.4"])).wordpress).toEqual({ profile: "0.4", route: "tools" });
    const newer = await snapshotFixture([...closed, "0.5"]);
    expect(newer.wordpress).toBeUndefined();
    expect(newer.abilities).toBeUndefined();
  });
});

describe("a site that does not answer", () => {
  it.each([...SITE_PROBLEMS, ...MORE_SITE_PROBLEMS])("reports the cause: $name", async (problem) => {
    const { error } = await readSiteProblem(problem);
    expect(error).toMatchObject({
      code: problem.code,
      message: expect.stringMatching(problem.says) as string,
      exitCode: 3,
      hint: expect.stringMatching(/./) as string,
    });
    expect(JSON.stringify([error.message, error.hint])).not.toMatch(/editor|abcd/);
  });
});
