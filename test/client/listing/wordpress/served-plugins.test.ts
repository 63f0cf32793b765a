/** Runs the plugins of test/wordpress in PHP's built-in web server. */
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { ServerSnapshot, ToolSnapshot } from "../../../../src/core/snapshot.js";
import { normalizeWordPressTool, publishTool } from "../../../../src/drift/normalize-wordpress-tool.js";
import { snapshotServer } from "../../../../src/sources/snapshot-server.js";
import { projectAbility } from "../../../../src/client/listing/wordpress/project-ability.js";
import { hasPhp, WITH_PHP } from "../../../sources/php/has-php.js";
import { startSite, type SiteOptions } from "../../../wordpress/start-site.js";

const plugin = (path: string): string =>
  fileURLToPath(new URL(`../../../wordpress/${path}`, import.meta.url));
const PLUGINS = [
  plugin("mu-plugins/acme-posts.php"),
  plugin("plugins/acme-shop/acme-shop.php"),
  plugin("plugins/acme-edge/acme-edge.php"),
];

type See = (path: string, password?: string) => Promise<ServerSnapshot>;

/** Runs a site for several snapshots of its servers. */
async function withSite<T>(options: Partial<SiteOptions>, use: (see: See) => Promise<T>): Promise<T> {
  const server = await startSite({ plugins: PLUGINS, ...options });
  const auth = { basic: { username: "admin", password: "${WP_PASSWORD}" } };
  try {
    return await use(async (path, password = server.env.WP_PASSWORD) => {
      const target = { server: "wordpress", settings: { url: `${server.site}${path}`, auth } };
      return (await snapshotServer(target, { dir: ".", lookup: () => password })).snapshot;
    });
  } finally {
    await server.close();
  }
}
const seeIn = (options: Partial<SiteOptions>, path: string): Promise<ServerSnapshot> =>
  withSite(options, (see) => see(path));

const DEFAULT = "/wp-json/mcp/mcp-adapter-default-server";

/** Tools as the REST API of WordPress 7.1 publishes them. */
function published(tools: readonly ToolSnapshot[]): readonly ToolSnapshot[] {
  return tools.map((tool) => publishTool(normalizeWordPressTool(tool)));
}

describe.skipIf(!hasPhp)(`plugins in PHP${WITH_PHP}`, () => {
  it.each(["0.4", "0.5"] as const)(
    "are served by adapter %s as they are projected, all of them",
    async (adapter) => {
      const seen = await seeIn({ adapter }, "/wp-json/mcp/acme");
      expect(seen.wordpress).toEqual({ profile: adapter, route: "tools" });
      expect(seen.tools.length).toBeGreaterThan(45);
      const known = Object.entries(seen.abilities ?? {});
      expect(known.length).toBe(seen.tools.length - 1);
      for (const [name, { definition }] of known) {
        const tool = seen.tools.find((candidate) => candidate.name === name);
        const projection = projectAbility(definition, adapter);
        if (tool === undefined || !("tool" in projection)) throw new Error(`"${name}" is not a tool.`);
        expect(published([projection.tool])).toEqual(published([tool]));
      }
    },
  );

  it("have the same contract through the default server on every route, and a password", async () => {
    const [seen, plain] = await withSite({}, async (see) => {
      await expect(see(DEFAULT, "wrong")).rejects.toMatchObject({
        code: "SERVER_REFUSED",
        message: expect.stringContaining('did not log in user "admin"') as string,
      });
      return [await see(DEFAULT), await see("/?rest_route=/mcp/mcp-adapter-default-server")] as const;
    });
    expect(seen.wordpress).toEqual({ profile: "0.4", route: "execute" });
    expect(seen.listing).toMatchObject({ principal: "admin", locale: "en_US" });
    const names = seen.tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["acme-create-post", "edge-root-required-true"]));
    expect(names).not.toContain("edge-private");
    const closed = await seeIn({ rest: "closed" }, DEFAULT);
    const older = await seeIn({ adapter: "0.4" }, DEFAULT);
    expect(published(closed.tools)).toEqual(published(seen.tools));
    expect(older.tools).toEqual(seen.tools);
    expect(plain.tools).toEqual(seen.tools);
  });

  it("report the errors of PHP", async () => {
    const broken = plugin("broken.php");
    await expect(seeIn({ plugins: [broken] }, DEFAULT)).rejects.toMatchObject({
      code: "PROTOCOL_INVALID",
      message: expect.stringMatching(/failed in PHP \(HTTP \d+\): ".*(?:Fatal|critical) error/) as string,
    });
  });
});
