import { describe, expect, it } from "vitest";
import type { ServerConfig } from "../../../src/config/config.js";
import type { ServerSnapshot } from "../../../src/contract/snapshot.js";
import { openSource } from "../../../src/sources/open-source.js";
import { readSiteProblem, SITE_PROBLEMS } from "../../wordpress/site-problems.js";
import { fixtureCommand, startFixture } from "../../servers/start-fixture.js";

const PATH = "/wp-json/mcp/mcp-adapter-default-server";
const AUTH = { basic: { username: "${WP_USER}", password: "${WP_APP_PASSWORD}" } };
const VARIABLES: Readonly<Record<string, string>> = { WP_USER: "editor", WP_APP_PASSWORD: "abcd efgh ijkl" };

async function snapshot(config: ServerConfig): Promise<ServerSnapshot> {
  const take = await openSource("wordpress", config, { dir: ".", lookup: (name) => VARIABLES[name] });
  return take();
}

/** What a fixture says that is started with these flags. */
async function see(
  args: readonly string[],
  { path = PATH, ...config }: ServerConfig & { readonly path?: string } = {},
): Promise<ServerSnapshot> {
  const server = await startFixture("wordpress", { args });
  try {
    return await snapshot({ url: server.url.replace("/mcp", path), auth: AUTH, ...config });
  } finally {
    await server.close();
  }
}

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

it("notes that WooCommerce has deprecated its own server, once and with the replacement", async () => {
  const notesOf = async (path: string): Promise<readonly string[]> => {
    const { diagnostics } = await see(["--server", "custom"], { path });
    return diagnostics.flatMap(({ code, message }) => (code === "SERVER_DEPRECATED" ? [message] : []));
  };
  const note = expect.stringContaining("/mcp/mcp-adapter-default-server") as string;
  expect(await notesOf("/wp-json/woocommerce/mcp")).toEqual([note]);
  expect(await notesOf("/?rest_route=/woocommerce/mcp")).toEqual([note]);
  expect(await notesOf("/wp-json/mcp/woocommerce")).toEqual([]);
});

describe("the adapter's default server", () => {
  it("becomes one tool per ability, each with what WordPress has registered", async () => {
    const seen = await see([]);
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

  it("is the same contract whether the REST API is open, closed or shows a part", async () => {
    const [open, closed, partial] = await Promise.all([
      see([]),
      see(["--rest", "closed"]),
      see(["--rest", "partial"]),
    ]);
    expect(closed.tools).toEqual(open.tools);
    expect(partial.tools).toEqual(open.tools);
    expect(closed.listing.locale).toBeUndefined();
    expect(closed.abilities?.["content-get-post"]?.definition).not.toHaveProperty("category");
  });

  it("is reached over stdio too", async () => {
    const seen = await snapshot(fixtureCommand("wordpress"));
    expect(namesOf(seen)).toEqual(PUBLIC);
    expect(seen.wordpress).toEqual({ profile: "0.4", route: "execute" });
  });

  it("is reached with plain permalinks", async () => {
    const path = "/?rest_route=/mcp/mcp-adapter-default-server";
    const seen = await see(["--problem", "plain-permalinks"], { path });
    expect(namesOf(seen)).toEqual(PUBLIC);
    expect(seen.listing.locale).toBe("en_US");
  });

  it("is told otherwise where the configuration says so", async () => {
    const newer = await see([], { wordpress: { profile: "0.5" } });
    expect(newer.wordpress).toEqual({ profile: "0.5", route: "execute" });
    expect(newer.tools[0]).toHaveProperty("title");
    const plain = await see([], { wordpress: { route: "tools" } });
    expect(namesOf(plain)).toEqual([
      "mcp-adapter-discover-abilities",
      "mcp-adapter-execute-ability",
      "mcp-adapter-get-ability-info",
    ]);
    const rest = await see([], { wordpress: { route: "rest" } });
    expect(namesOf(rest)).toEqual([...PUBLIC, "content-private"].sort());
    expect(rest.wordpress?.route).toBe("rest");
  });

  it("leaves out an ability that no lock can hold, and says so", async () => {
    for (const rest of ["open", "closed"]) {
      const seen = await see(["--deep", "yes", "--rest", rest]);
      expect(namesOf(seen)).toEqual(PUBLIC);
      expect(seen.diagnostics).toMatchObject([
        {
          code: "TOOL_UNUSABLE",
          tool: "content-deep",
          message: expect.stringContaining("nested too deeply") as string,
        },
      ]);
    }
    const tools = await see(["--deep", "yes", "--server", "custom"], { path: "/wp-json/mcp/shop" });
    expect(tools.abilities).not.toHaveProperty("content-deep");
  });

  it("lists 300 abilities, told by the REST API in pages or one by one", async () => {
    const count = async (rest: string): Promise<number> => {
      const seen = await see(["--abilities", "300", "--rest", rest]);
      return seen.tools.length;
    };
    expect(await count("open")).toBe(307);
    expect(await count("closed")).toBe(307);
  });
});

describe("a pull that is stopped", () => {
  it("ends at once, and listens to its signal no more than others do", async () => {
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
    const take = await openSource(
      "wordpress",
      { url: server.url.replace("/mcp", PATH) },
      { dir: ".", lookup: () => undefined, signal },
    );
    const stopped = take();
    setTimeout(() => {
      controller.abort(new Error("enough"));
    }, 1_000);
    try {
      await expect(stopped).rejects.toThrow("enough");
      // Node warns of more than ten.
      expect(most).toBeGreaterThan(0);
      expect(most).toBeLessThan(10);
    } finally {
      await server.close();
    }
  });
});

describe("a server of the adapter that lists its abilities as tools", () => {
  it.each(["0.4", "0.5"] as const)("is known with adapter %s", async (adapter) => {
    const seen = await see(["--server", "custom", "--adapter", adapter], { path: "/wp-json/mcp/shop" });
    expect(namesOf(seen)).toEqual([...PUBLIC, "content-private"].sort());
    expect(seen.wordpress).toEqual({ profile: adapter, route: "tools" });
    expect(seen.abilities?.["content-get-post"]?.definition["category"]).toBe("content");
  });

  it("is known by its oddities alone where the REST API is closed", async () => {
    const closed = ["--server", "custom", "--rest", "closed", "--adapter"];
    expect((await see([...closed, "0.4"])).wordpress).toEqual({ profile: "0.4", route: "tools" });
    const newer = await see([...closed, "0.5"]);
    expect(newer.wordpress).toBeUndefined();
    expect(newer.abilities).toBeUndefined();
  });
});

describe("a site that does not answer", () => {
  it.each(SITE_PROBLEMS)("reports the cause: $name", async (problem) => {
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
