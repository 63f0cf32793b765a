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
  const outcomes = snapshotServers(Object.entries(servers), {
    dir,
    lookup: (name) => variables[name],
    onProgress: ({ server, stage }) => asked.push(`${server} ${stage}`),
  });
  return { asked, outcomes };
}

describe("snapshotServers", () => {
  it("asks nobody while a variable of anybody is missing", async () => {
    const { asked, outcomes } = take(
      { shop: fixtureCommand("drifted"), blog: { url: "${BLOG_URL}/mcp" } },
      {},
    );
    await expect(outcomes).rejects.toMatchObject({ code: "VARIABLE_MISSING" });
    expect(asked).toEqual([]);
  });

  it("says whose list it is by the configuration's words, not by what they stand for", async () => {
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

  it("keeps one server's failure to itself", async () => {
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
