import { cp, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { hasPhp, WITH_PHP } from "../sources/php/has-php.js";
import { makeProject, type Project } from "./make-project.js";

const CONFIG = "mcp-codegen.config.ts";

/** The wp-content folder of a WordPress with the plugins of test/wordpress, and others without abilities. */
async function projectWithPlugins(): Promise<Project> {
  const project = await makeProject();
  const content = join(project.dir, "wp-content");
  await cp(resolve("test/wordpress/mu-plugins"), join(content, "mu-plugins"), { recursive: true });
  await cp(resolve("test/wordpress/plugins"), join(content, "plugins"), { recursive: true });
  await mkdir(join(content, "plugins/hello"));
  await writeFile(join(content, "plugins/hello/hello.php"), "<?php\n/* Plugin Name: Hello */\n");
  return project;
}

const pluginText = (name: string, extra = ""): string => `<?php
/* Plugin Name: ${name} */
${extra}
add_action( 'wp_abilities_api_categories_init', function () {
  wp_register_ability_category( '${name}', array( 'label' => 'Shop', 'description' => 'Orders.' ) );
} );
add_action( 'wp_abilities_api_init', function () {
  wp_register_ability( '${name}/list', array(
    'label' => 'List', 'description' => 'Lists.', 'category' => '${name}',
    'execute_callback' => '__return_true', 'permission_callback' => '__return_true',
    'meta' => array( 'mcp' => array( 'public' => true ) ),
  ) );
} );
`;

describe("init in the repository of a plugin", () => {
  it.skipIf(!hasPhp)(`reads only PHP and generates no code without TypeScript${WITH_PHP}`, async () => {
    const project = await makeProject();
    await project.write("acme/acme.php", pluginText("acme"));
    const { stderr } = await project.reports("init --yes", {
      wrote: ["mcp-codegen.config.json", ".gitignore"],
      servers: ["acme"],
      next: ["npx mcp-codegen pull"],
    });
    // No schema: the package is not installed here.
    expect(JSON.parse(await project.read("mcp-codegen.config.json"))).toEqual({
      output: false,
      servers: { acme: { php: { paths: ["acme"] }, check: { failOn: "any" } } },
    });
    expect(stderr).toContain('no TypeScript found, so "output" is false');
    await project.prints("pull", 0, "+ acme-list");
  });

  it.skipIf(!hasPhp)(`names what is not shown to MCP, is refused or fails${WITH_PHP}`, async () => {
    const project = await makeProject();
    const hidden = pluginText("acme").replace(/'mcp' => .*/, "'show_in_rest' => true ),");
    await project.write("acme/acme.php", hidden);
    await project.write("refused/refused.php", pluginText("refused").replace("'category' => 'refused',", ""));
    await project.write("bad/bad.php", pluginText("bad", "throw new Exception( 'no database' );"));
    const refused = 'WordPress would not register the ability "refused/list" (refused/refused.php:';
    const { document, stderr } = await project.reports("init --yes", {
      servers: ["wordpress"],
      hidden: [{ ability: "acme/list" }],
    });
    expect(document["failed"]).toEqual([
      expect.stringMatching(/bad\/bad\.php.*no database/s),
      expect.stringContaining(refused),
    ]);
    expect(stderr).toContain(`note: ${refused}`);
    expect(stderr).toMatch(/note: .*bad\/bad\.php.*no database.*php\.bootstrap/);
    expect(stderr).toMatch(
      /1 of 1 ability is not exposed to MCP: add "meta".*"wordpress": \{ "route": "rest" \}/,
    );
    const server = { wordpress: { route: "rest" }, php: { paths: ["acme"] } };
    await project.configure({ output: false, servers: { acme: server } });
    await project.prints("pull", 0, "+ acme-list");
  });

  it.each([
    ["a package.json without TypeScript", "package.json", '{"devDependencies":{"mcp-codegen":"0","zod":"4"}}', false], // prettier-ignore
    ["a package.json with TypeScript", "package.json", '{"devDependencies":{"typescript":"6"}}', true],
    ["a tsconfig.json", "tsconfig.json", "{}", true],
  ])("with %s", async (_what, name, text, hasCode) => {
    const project = await makeProject();
    await project.write("acme.php", pluginText("acme"));
    await project.write(name, text);
    await project.run("init");
    const written = await project.files();
    expect(Object.keys(written).includes(CONFIG)).toBe(hasCode);
    expect(JSON.stringify(written).includes("WP_URL")).toBe(hasCode);
  });
});

it("init beside WordPress plugins adds their PHP to a server of an editor, and runs none without consent", async () => {
  const project = await projectWithPlugins();
  const url = "https://example.com/wp-json/mcp/mcp-adapter-default-server";
  await project.writeJson(".mcp.json", { mcpServers: { blog: { url } } });
  const { document, stderr } = await project.reports("init", { servers: ["blog"] });
  expect(document["hidden"]).toBeUndefined();
  expect(stderr).toContain('Run "npx mcp-codegen pull --php" to list them');
  expect(await project.read(CONFIG)).toMatch(/url: "https:\/\/example\.com.*\n.*php: \{/);
});

it.skipIf(!hasPhp)(
  `init beside WordPress plugins proposes the site and its PHP, and names hidden abilities${WITH_PHP}`,
  async () => {
    const project = await projectWithPlugins();
    const { stderr } = await project.reports("init --yes", {
      exitCode: 0,
      servers: ["wordpress"],
      hidden: [{ ability: "edge/private", file: "wp-content/plugins/acme-edge/acme-edge.php" }],
    });
    expect(stderr).toContain('note: set WP_URL, WP_USER and WP_APP_PASSWORD in ".env.local"');
    expect(stderr).toContain('add "meta" => [ "mcp" => [ "public" => true ] ]');
    expect(stderr).toMatch(/^ {2}edge\/private \(wp-content\/plugins\/acme-edge\/acme-edge\.php:\d+\)$/m);
    const config = await project.read(CONFIG);
    expect(config).toContain('url: "${WP_URL}/wp-json/mcp/mcp-adapter-default-server"');
    expect(config).toContain('"wp-content/plugins/acme-shop"');
  },
);
