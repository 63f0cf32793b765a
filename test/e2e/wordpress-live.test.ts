/** Reads a live WordPress: several servers of one site, lost sessions, and the number of requests. */
import { resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { hasPhp, WITH_PHP } from "../sources/php/has-php.js";
import { AUTH as auth, startSite, type RunningSite, type SiteOptions } from "../wordpress/start-site.js";
import { makeProject } from "./make-project.js";

const PLUGIN = resolve("test/wordpress/mu-plugins/acme-posts.php");
const urlOf = (server: string): string => `\${WP_URL}/wp-json/mcp/${server}`;

async function start(options: Partial<SiteOptions> = {}): Promise<RunningSite> {
  const site = await startSite({ plugins: [PLUGIN], ...options });
  onTestFinished(() => site.close());
  return site;
}

async function countRequests(site: RunningSite): Promise<{ readonly [request: string]: number }> {
  const counts: Record<string, number> = {};
  for (const request of await site.takeRequests()) counts[request] = (counts[request] ?? 0) + 1;
  return counts;
}

describe.skipIf(!hasPhp)(`a live WordPress${WITH_PHP}`, () => {
  test("lists two servers of one account one after the other, without findings of similar names", async () => {
    const project = await makeProject({
      servers: {
        site: { url: urlOf("mcp-adapter-default-server"), auth },
        acme: { url: urlOf("acme"), auth },
      },
    });
    const { env } = await start({ sessions: "one" });
    const pulled = await project.runJson("pull", env);
    expect(pulled.exitCode, pulled.stderr).toBe(0);
    expect(pulled.document["servers"]).toMatchObject([{ status: "new" }, { status: "new" }]);
    const checked = await project.runJson("check", env);
    expect([checked.exitCode, checked.document["changes"]]).toEqual([0, []]);
  });

  test("reopens a session that was lost while tools were listed", async () => {
    const project = await makeProject({ servers: { acme: { url: urlOf("acme"), auth } } });
    const { env } = await start({ sessions: "lost" });
    await project.withEnv(env).prints("pull", 0);
  });

  test("reads each ability once", async () => {
    const url = urlOf("mcp-adapter-default-server");
    const project = await makeProject({ servers: { site: { url, auth } } });
    const site = await start();
    const { env } = site;
    await site.takeRequests();
    const rest = { "GET /wp-json/wp-abilities/v1/abilities": 1, "GET /wp-json/wp/v2/settings": 1 };
    await project.withEnv(env).prints("pull", 0);
    // server/discover, initialize, initialized, and twice, to verify that they are stable, the meta-tools and the names of abilities
    expect(await countRequests(site)).toMatchObject({
      ...rest,
      "POST /wp-json/mcp/mcp-adapter-default-server": 7,
    });
    await project.withEnv(env).prints("pull", 0);
    expect(await countRequests(site)).toMatchObject({
      ...rest,
      "POST /wp-json/mcp/mcp-adapter-default-server": 5,
    });
  });
});
