/** Compares the PHP of plugins with a site: equal for every adapter and route. */
import { cp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parseLockfile } from "../../src/core/lockfile-text.js";
import type { LockedServer } from "../../src/core/lockfile.js";
import { hasPhp, WITH_PHP } from "../sources/php/has-php.js";
import { AUTH, startSite } from "../wordpress/start-site.js";
import { LOCKFILE_NAME, makeProject } from "./make-project.js";

function definitionsOf(server: LockedServer | undefined): readonly unknown[] {
  return Object.values(server?.tools ?? {}).map(({ definition }) => definition);
}

describe.skipIf(!hasPhp)(`PHP against a site of the same plugins${WITH_PHP}`, () => {
  const sites = [
    ["0.4", "mcp-adapter-default-server", "open", 51],
    ["0.5", "mcp-adapter-default-server", "closed", 51],
    // One ability is not listed there: its root is "required".
    ["0.5", "acme", "open", 51],
    ["0.4", "acme", "closed", 52],
  ] as const;
  test.each(sites)("adapter %s, server %s, REST API %s", async (adapter, server, rest, tools) => {
    const project = await makeProject({
      servers: {
        wordpress: {
          url: `\${WP_URL}/wp-json/mcp/${server}`,
          auth: AUTH,
          php: { paths: ["mu-plugins", "plugins"] },
        },
      },
    });
    await cp(resolve("test/wordpress/mu-plugins"), join(project.dir, "mu-plugins"), { recursive: true });
    await cp(resolve("test/wordpress/plugins"), join(project.dir, "plugins"), { recursive: true });
    const plugins = [
      "mu-plugins/acme-posts.php",
      "plugins/acme-edge/acme-edge.php",
      "plugins/acme-shop/acme-shop.php",
    ].map((file) => join(project.dir, file));
    const site = await startSite({ plugins, adapter, rest });
    onTestFinished(() => site.close());
    const { env } = site;

    await project.withEnv(env).prints("pull", 0);
    const wordpress = parseLockfile(await project.read(LOCKFILE_NAME)).servers["wordpress"];
    expect(Object.keys(wordpress?.tools ?? {})).toHaveLength(tools);
    if (rest === "open") {
      expect(wordpress?.tools["acme-get-post"]?.ability?.file).toBe("mu-plugins/acme-posts.php");
      expect(wordpress?.tools["shop-get-order"]?.ability?.file).toBe("plugins/acme-shop/src/Part.php");
    }

    const checked = await project.runJson("check --php");
    const php = [{ server: "wordpress", facts: { php: { abilities: 52, others: [] } } }];
    expect(checked.document).toMatchObject({ exitCode: 0, changes: [], unverified: [], php });
    // PHP adds abilities that the site did not list, and replaces none.
    await project.prints("pull --php", 0);
    const locked = await project.read(LOCKFILE_NAME);
    const known = parseLockfile(locked).servers["wordpress"];
    expect(known?.wordpress).not.toHaveProperty("projected");
    expect(definitionsOf(known)).toEqual(definitionsOf(wordpress));
    await project.prints("pull --php", 0);
    expect(await project.read(LOCKFILE_NAME)).toBe(locked);

    if (server === "acme" || rest === "open") return;
    // A lock that begins with PHP fits the site.
    await rm(join(project.dir, LOCKFILE_NAME));
    for (const command of ["pull --php", "pull"]) {
      await project.withEnv(env).prints(command, 0);
      const { document, exitCode } = await project.runJson("check --php --env all", env);
      expect([command, document["changes"], exitCode]).toEqual([command, [], 0]);
    }
  });
});
