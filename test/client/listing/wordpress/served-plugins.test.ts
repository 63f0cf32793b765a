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

async function see(
  path: string,
  options: Partial<SiteOptions> & { readonly given?: string } = {},
): Promise<ServerSnapshot> {
  const server = await startSite({ plugins: PLUGINS, ...options });
  try {
    const auth = { basic: { username: "admin", password: "${WP_PASSWORD}" } };
    const target = { server: "wordpress", settings: { url: `${server.site}${path}`, auth } };
    const { snapshot: taken } = await snapshotServer(target, {
      dir: ".",
      lookup: () => options.given ?? server.env.WP_PASSWORD,
    });
    return taken;
  } finally {
    await server.close();
  }
}

const DEFAULT = "/wp-json/mcp/mcp-adapter-default-server";

/** Tools as the REST API of WordPress 7.1 publishes them. */
function published(tools: readonly ToolSnapshot[]): readonly ToolSnapshot[] {
  return tools.map((tool) => publishTool(normalizeWordPressTool(tool)));
}

describe.skipIf(!hasPhp)(`plugins in PHP${WITH_PHP}`, () => {
  it.each(["0.4", "0.5"] as const)(
    "are served by adapter %s as they are projected, all of them",
    async (adapter) => {
      const seen = await see("/wp-json/mcp/acme", { adapter });
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

  it("have the same contract through the default server on every route", async () => {
    const seen = await see(DEFAULT);
    expect(seen.wordpress).toEqual({ profile: "0.4", route: "execute" });
    expect(seen.listing).toMatchObject({ principal: "admin", locale: "en_US" });
    const names = seen.tools.map(({ name }) => name);
    expect(names).toContain("acme-create-post");
    expect(names).toContain("edge-root-required-true");
    expect(names).not.toContain("edge-private");
    const [closed, older, plain] = await Promise.all([
      see(DEFAULT, { rest: "closed" }),
      see(DEFAULT, { adapter: "0.4" }),
      see("/?rest_route=/mcp/mcp-adapter-default-server"),
    ]);
    expect(published(closed.tools)).toEqual(published(seen.tools));
    expect(older.tools).toEqual(seen.tools);
    expect(plain.tools).toEqual(seen.tools);
  });

  it("are rejected with a wrong password", async () => {
    await expect(see(DEFAULT, { given: "wrong" })).rejects.toMatchObject({
      code: "SERVER_REFUSED",
      message: expect.stringContaining('did not log in user "admin"') as string,
    });
  });

  it("report the errors of PHP", async () => {
    const broken = plugin("broken.php");
    await expect(see(DEFAULT, { plugins: [broken] })).rejects.toMatchObject({
      code: "PROTOCOL_INVALID",
      message: expect.stringMatching(/failed in PHP \(HTTP \d+\): ".*(?:Fatal|critical) error/) as string,
    });
  });
});
