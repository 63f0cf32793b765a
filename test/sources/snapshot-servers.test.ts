import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ServerConfig } from "../../src/config/config.js";
import { snapshotServers } from "../../src/sources/snapshot-servers.js";
import { fixtureCommand, startFixture } from "../servers/start-fixture.js";

const dir = fileURLToPath(new URL(".", import.meta.url));

function take(
  servers: { readonly [name: string]: ServerConfig },
  variables: { readonly [name: string]: string },
) {
  const asked: string[] = [];
  const targets = Object.entries(servers).map(([server, settings]) => ({ server, settings }));
  const outcomes = snapshotServers(targets, {
    dir,
    lookup: (name) => variables[name],
    onProgress: ({ server, stage }) => asked.push(`${server} ${stage}`),
  });
  return { asked, outcomes };
}

describe("snapshotServers", () => {
  it("reports missing variables only for the server that needs them, and names all", async () => {
    const blog = { url: "${BLOG_URL}/mcp", auth: { bearer: "${BLOG_TOKEN}" } };
    const { asked, outcomes } = take({ shop: fixtureCommand("drifted"), blog }, {});
    expect(await outcomes).toMatchObject([
      { server: "shop", snapshot: { tools: [{}, {}] } },
      {
        server: "blog",
        error: {
          code: "VARIABLE_MISSING",
          message:
            'Variables "BLOG_URL" (for servers.blog.url) and "BLOG_TOKEN" (for servers.blog.auth.bearer) have no value.',
          hint: expect.stringMatching(
            /^Set BLOG_URL .*in the environment, or for the command line in "\.env\.local"/,
          ) as string,
        },
      },
    ]);
    expect(asked).toContain("blog failed");
    expect(asked).not.toContain("blog connecting");
  });

  it("throws when variables are missing for every server, and names all", async () => {
    const { outcomes } = take({ blog: { url: "${BLOG_URL}/mcp" }, wiki: { url: "${WIKI_URL}/mcp" } }, {});
    await expect(outcomes).rejects.toMatchObject({
      code: "VARIABLE_MISSING",
      exitCode: 2,
      message: expect.stringMatching(/"BLOG_URL" .*"WIKI_URL"/) as string,
    });
  });

  it("does not throw when one server is down and another has missing variables", async () => {
    const { outcomes } = take(
      { away: { url: "http://127.0.0.1:9/mcp" }, blog: { url: "${BLOG_URL}/mcp" } },
      {},
    );
    expect(await outcomes).toMatchObject([{ error: { exitCode: 3 } }, { error: { exitCode: 2 } }]);
  });

  it("stops a list that takes longer than timeouts.list", async () => {
    const slow = { ...fixtureCommand("slow"), timeouts: { list: 50 } };
    const { outcomes } = take(
      { slow, endless: { ...fixtureCommand("endless-cursor"), timeouts: { list: 50 } } },
      {},
    );
    const error = {
      message: expect.stringContaining("did not list its tools within 50 ms") as string,
      hint: "Raise timeouts.list if it needs longer.",
    };
    expect(await outcomes).toMatchObject([{ error }, { error }]);
  });

  it("names the account as configured, without resolving variables", async () => {
    const fixture = await startFixture("drifted", {
      transport: "http",
      args: ["--basic", "ada:s3cret-word"],
    });
    onTestFinished(() => fixture.close());
    const auth = { basic: { username: "${SHOP_USER}", password: "${SHOP_PASSWORD}" } };
    const { outcomes } = take(
      { shop: { url: fixture.url, auth } },
      { SHOP_USER: "ada", SHOP_PASSWORD: "s3cret-word" },
    );
    const [outcome] = await outcomes;
    expect(outcome).toMatchObject({ snapshot: { listing: { principal: "${SHOP_USER}" } } });
    expect(JSON.stringify(outcome)).not.toMatch(/s3cret-word|"ada"/);
  });

  it("isolates the failure of one server", async () => {
    const { outcomes } = take(
      { shop: fixtureCommand("drifted"), away: { url: "http://127.0.0.1:9/mcp" } },
      {},
    );
    expect(await outcomes).toMatchObject([
      { server: "shop", snapshot: { tools: [{}, {}] } },
      { server: "away", error: { exitCode: 3 } },
    ]);
  });
});
