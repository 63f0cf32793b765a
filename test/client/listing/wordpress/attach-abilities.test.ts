import { describe, expect, it } from "vitest";
import type { ServerSnapshot } from "../../../../src/core/snapshot.js";
import { snapshotServer } from "../../../../src/sources/snapshot-server.js";
import { MORE_SITE_PROBLEMS, readSiteProblem, SITE_PROBLEMS } from "../../../wordpress/site-problems.js";
import { openFixture } from "../../../runtime/open-fixture.js";
import { fixtureCommand } from "../../../servers/start-fixture.js";
import { PATH, snapshot, snapshotFixture } from "./snapshot-fixture.js";

const namesOf = ({ tools }: ServerSnapshot): readonly string[] => tools.map(({ name }) => name);
const CUSTOM = "/wp-json/mcp/shop";
const PUBLIC = [
  "count",
  "create-post",
  "delete-posts",
  "empty",
  "fails-softly",
  "get-post",
  "list-posts",
].map((name) => `content-${name}`);
const ALL = [...PUBLIC, "content-private"].sort();

it.each([
  ["/wp-json/woocommerce/mcp", 1],
  ["/?rest_route=/woocommerce/mcp", 1],
  ["/wp-json/mcp/woocommerce", 0],
])("reports the deprecated server of WooCommerce once, with its replacement: %s", async (path, count) => {
  const { diagnostics } = await snapshotFixture(["--server", "custom"], { path });
  const notes = diagnostics.filter(({ code }) => code === "SERVER_DEPRECATED");
  const message = expect.stringContaining("/mcp/mcp-adapter-default-server") as string;
  expect(notes).toMatchObject(Array.from({ length: count }, () => ({ message })));
});

describe("the adapter's default server", () => {
  it("becomes one tool per ability, each with its registration", async () => {
    const seen = await snapshotFixture([]);
    expect(namesOf(seen)).toEqual(PUBLIC);
    expect(seen).toMatchObject({
      wordpress: { profile: "0.4", route: "execute" },
      listing: { principal: "${WP_USER}", locale: "en_US" },
    });
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
    const [open, closed, partial] = await Promise.all(
      ["open", "closed", "partial"].map((rest) => snapshotFixture(["--rest", rest])),
    );
    expect([closed?.tools, partial?.tools]).toEqual([open?.tools, open?.tools]);
    expect(closed?.listing.locale).toBeUndefined();
    expect(closed?.abilities?.["content-get-post"]?.definition).not.toHaveProperty("category");
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
    expect([namesOf(seen), seen.wordpress]).toEqual([PUBLIC, { profile: "0.4", route: "execute" }]);
  });

  it("works with plain permalinks", async () => {
    const path = "/?rest_route=/mcp/mcp-adapter-default-server";
    const seen = await snapshotFixture(["--problem", "plain-permalinks"], { path });
    expect([namesOf(seen), seen.listing.locale]).toEqual([PUBLIC, "en_US"]);
  });

  const ownTools = ["discover-abilities", "execute-ability", "get-ability-info"];
  it.each([
    [{ profile: "0.5" }, PUBLIC, { profile: "0.5", route: "execute" }],
    [{ route: "tools" }, ownTools.map((name) => `mcp-adapter-${name}`), { profile: "0.5", route: "tools" }],
    [{ route: "rest" }, ALL, { profile: "0.4", route: "rest" }],
  ] as const)("follows the configuration %j", async (wordpress, names, expected) => {
    const seen = await snapshotFixture([], { wordpress });
    expect([namesOf(seen), seen.wordpress]).toEqual([names, expected]);
    if ("profile" in wordpress) expect(seen.tools[0]).toHaveProperty("title");
  });

  it.each(["open", "closed"])("omits an ability that is too deep, and reports it (%s)", async (rest) => {
    const seen = await snapshotFixture(["--deep", "yes", "--rest", rest]);
    expect(namesOf(seen)).toEqual(PUBLIC);
    const message = expect.stringContaining("nested too deeply") as string;
    expect(seen.diagnostics).toMatchObject([{ code: "TOOL_UNUSABLE", tool: "content-deep", message }]);
  });

  it.each(["open", "closed"])("lists 300 abilities, in pages or one by one (%s)", async (rest) => {
    const seen = await snapshotFixture(["--abilities", "300", "--rest", rest]);
    expect(seen.tools).toHaveLength(307);
  });
});

it("an aborted pull ends immediately, and adds few listeners to its signal", async () => {
  const args = ["--abilities", "200", "--rest", "closed", "--latency", "200"];
  const { url } = await openFixture("wordpress", { args });
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
  const target = { server: "wordpress", settings: { url: url.replace("/mcp", PATH) } };
  const stopped = snapshotServer(target, { dir: ".", lookup: () => undefined, signal });
  setTimeout(() => {
    controller.abort(new Error("enough"));
  }, 1_000);
  await expect(stopped).rejects.toThrow("enough");
  // Node warns at more than ten listeners.
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThan(10);
});

describe("a server of the adapter that lists its abilities as tools", () => {
  const see = (...args: readonly string[]) =>
    snapshotFixture(["--server", "custom", ...args], { path: CUSTOM });

  it.each(["0.4", "0.5"] as const)("is detected with adapter %s", async (adapter) => {
    const seen = await see("--adapter", adapter);
    expect([namesOf(seen), seen.wordpress]).toEqual([ALL, { profile: adapter, route: "tools" }]);
    expect(seen.abilities?.["content-get-post"]?.definition["category"]).toBe("content");
  });

  it.each([
    ["0.4", { profile: "0.4", route: "tools" }],
    ["0.5", undefined],
  ])("is detected by its definitions when the REST API is closed, if it is %s", async (adapter, expected) => {
    const { wordpress } = await see("--rest", "closed", "--adapter", adapter);
    expect(wordpress).toEqual(expected);
  });

  it("has no ability that is too deep to be locked", async () => {
    expect((await see("--deep", "yes")).abilities).not.toHaveProperty("content-deep");
  });
});

it.each([...SITE_PROBLEMS, ...MORE_SITE_PROBLEMS])(
  "the cause why a site does not answer is reported: $name",
  async (problem) => {
    const { error } = await readSiteProblem(problem);
    expect(error).toMatchObject({
      code: problem.code,
      message: expect.stringMatching(problem.says) as string,
      exitCode: 3,
      hint: expect.stringMatching(/./) as string,
    });
    expect(JSON.stringify([error.message, error.hint])).not.toMatch(/editor|abcd/);
  },
);
