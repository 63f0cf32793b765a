import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasPhp, WITH_PHP } from "../sources/php/has-php.js";
import { LOCKFILE_NAME, makeProject, type Project } from "./make-project.js";

const SERVER = { url: "${WP_URL}/wp-json/mcp/mcp-adapter-default-server" };

/** Registers abilities that are exposed to MCP. */
function register(...names: readonly string[]): string {
  return names
    .map(
      (name) => `wp_register_ability( '${name}', array(
    'label' => 'L', 'description' => 'D', 'category' => 'site',
    'input_schema' => array( 'type' => 'object', 'properties' => array( 'id' => array( 'type' => 'integer' ) ) ),
    'execute_callback' => '__return_true', 'permission_callback' => '__return_true',
    'meta' => array( 'mcp' => array( 'public' => true ) ) ) );`,
    )
    .join("\n");
}

function onInit(php: string, priority = 10): string {
  return `<?php\nadd_action( 'wp_abilities_api_init', function () {\n${php}\n}, ${priority} );\n`;
}

/** A custom server of the adapter that reads the registry while the REST API starts, and catches errors. */
const CUSTOM_SERVER = `<?php
add_action( 'rest_api_init', function () {
  try { wp_get_ability( 'shop/list' ); } catch ( \\Throwable $error ) { error_log( $error->getMessage() ); }
}, 1 );
`;

/** A folder of must-use plugins, locked from its PHP. */
async function lockedProject(plugins: { readonly [file: string]: string }): Promise<Project> {
  const project = await makeProject({
    servers: { wordpress: { ...SERVER, php: { paths: ["mu-plugins"] } } },
  });
  await mkdir(join(project.dir, "mu-plugins"));
  for (const [file, text] of Object.entries(plugins)) await project.write(`mu-plugins/${file}`, text);
  const { exitCode, stderr } = await project.run(["pull", "--php"]);
  if (exitCode !== 0) throw new Error(stderr);
  return project;
}

/** Removes the files from the lock, as in a pull from the site without PHP. */
async function forgetFiles(project: Project): Promise<void> {
  const lock = await project.read(LOCKFILE_NAME);
  await project.write(LOCKFILE_NAME, lock.replaceAll(/"file": "mu-plugins[^"]*",?\s*/g, ""));
}

describe.skipIf(!hasPhp)(`what check --php cannot compare${WITH_PHP}`, () => {
  test("is reported if a plugin fires the registration and catches its errors", async () => {
    const project = await lockedProject({
      "a-server.php": CUSTOM_SERVER,
      "b-fields.php": onInit(register("fields/list")),
      "c-shop.php": onInit(register("shop/list")),
    });
    await project.write(
      "mu-plugins/b-fields.php",
      onInit(`shop_file_decode( 'none.json' ); ${register("fields/list")}`, 5),
    );
    await project.write(
      "mu-plugins/c-shop.php",
      onInit(register("shop/list")).replace("'integer'", "'string'"),
    );
    const { exitCode, document } = await project.runJson(["check", "--php"]);
    expect(exitCode).toBe(1);
    expect(document["php"]).toMatchObject([{ abilities: 2, others: [], madeUp: ["shop_file_decode()"] }]);
    expect(document["changes"]).toMatchObject([{ tool: "shop-list", class: "breaking" }]);
  });

  test("includes an error that the plugin catches", async () => {
    const project = await lockedProject({ "shop.php": onInit(register("shop/list", "shop/get")) });
    const caught = `try { shop_settings(); ${register("shop/get")} } catch ( \\Throwable ) {}`;
    await project.write("mu-plugins/shop.php", onInit(`${register("shop/list")} ${caught}`));
    const { exitCode, document } = await project.runJson(["check", "--php"]);
    expect(document["php"]).toMatchObject([{ madeUp: ["shop_settings()"] }]);
    expect([exitCode, document["changes"]]).toEqual([0, []]);
  });

  test("is unverified: a locked tool without a file, with a namespace of the PHP", async () => {
    const project = await lockedProject({ "shop.php": onInit(register("shop/list", "shop/get")) });
    await project.write("mu-plugins/shop.php", onInit(register("shop/list")));
    await forgetFiles(project);
    const { exitCode, stdout } = await project.run(["check", "--php"]);
    expect(exitCode).toBe(3);
    expect(stdout).toContain('The definition of "shop-get" is not known.');
    expect(stdout).not.toContain("Up to date");
  });

  test("is not reported as up to date if it belongs to another plugin", async () => {
    const project = await lockedProject({
      "shop.php": onInit(register("shop/list")),
      "other.php": onInit(register("other/list")),
    });
    await forgetFiles(project);
    await project.write("mu-plugins/other.php", "<?php");
    const { exitCode, stdout } = await project.run(["check", "--php"]);
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(
        /No drift in the compared tools: checked 1 server and \d+ files against the lock, 1 tool not compared\./,
      ),
    ]);
  });

  test.each([
    ["throws", "throw new RuntimeException( 'No.' );", "RuntimeException: No."],
    ["ends the process", "exit;", "the plugin ends the process"],
    ["does not parse", "if ( { }", "ParseError"],
    ["takes all memory", "$a = 'x'; while ( true ) { $a .= $a; }", "Allowed memory size"],
    ["does not come back", "sleep( 60 );", "It was stopped after 10 s without progress"],
  ])("a plugin that %s fails alone", { timeout: 60_000 }, async (_what, php, message) => {
    const project = await lockedProject({
      "a-broken.php": onInit(register("broken/list")),
      "b-shop.php": onInit(register("shop/list")),
    });
    await project.write("mu-plugins/a-broken.php", `<?php\n${php}`);
    const first = await project.run(["check", "--php"]);
    expect([first.exitCode, first.stdout]).toEqual([3, expect.stringContaining(message)]);
    expect(first.stdout).toContain('Not checked: "broken-list".');
    if (php.includes("sleep")) return;
    await project.write(
      "mu-plugins/b-shop.php",
      onInit(register("shop/list")).replace("'integer'", "'string'"),
    );
    const { exitCode, document } = await project.runJson(["check", "--php"]);
    expect(exitCode).toBe(1);
    expect(document["changes"]).toMatchObject([{ tool: "shop-list" }]);
  });

  test.each([
    [
      "compares",
      `if ( 'yes' === shop_mode() ) { ${register("shop/get")} }`,
      "shop_mode() (mu-plugins/shop.php:",
    ],
    [
      "keeps",
      `$mode = shop_mode();\nif ( 'yes' === $mode ) { ${register("shop/get")} }`,
      "shop_mode() (mu-plugins/shop.php:",
    ],
    ["negates", `if ( ! SHOP_IS_ON ) { ${register("shop/get")} }`, "SHOP_IS_ON (mu-plugins/shop.php:"],
    [
      "checks a placeholder object",
      `if ( Shop::get()->is_off() ) { return; } ${register("shop/get")}`,
      "Shop (mu-plugins/shop.php:",
    ],
    [
      "loops over rows",
      `global $wpdb; foreach ( $wpdb->get_results( 'SELECT 1' ) as $row ) { ${register("shop/get")} }`,
      "the contents of the database",
    ],
    [
      "compares with a placeholder",
      register("shop/get").replace("'integer'", "1 === shop_mode() ? 'string' : 'integer'"),
      "shop_mode() (mu-plugins/shop.php:",
    ],
  ])("is an ability that depends on something that the PHP %s", async (_what, php, reason) => {
    const project = await lockedProject({ "shop.php": onInit(register("shop/list", "shop/get")) });
    await project.write("mu-plugins/shop.php", onInit(`${register("shop/list")}\n${php}`));
    const { exitCode, document } = await project.runJson(["check", "--php"]);
    expect(document["changes"]).toEqual([]);
    expect(document["unverified"]).toMatchObject([{ reason: expect.stringContaining(reason) as string }]);
    expect(exitCode).toBe(3);
  });

  test("is not an ability that uses a placeholder without depending on it", async () => {
    const outside =
      "add_action( 'init', function () { shop_log( 'begin' ); if ( shop_debug() ) { shop_log( 'debug' ); } } );";
    const php = `global $wpdb; $wpdb->query( $wpdb->prepare( 'SELECT %s', "it's" ) );
      require_once ABSPATH . 'wp-admin/includes/plugin.php';
      ${register("shop/list")}`;
    const project = await lockedProject({ "shop.php": onInit(register("shop/list")) });
    await project.write("mu-plugins/shop.php", onInit(php) + outside);
    expect((await project.run(["check", "--php"])).exitCode).toBe(0);
  });

  test.each([
    ["a function", "shop_log();", "shop.php:8 uses the function shop_log() in the hook"],
    ["a class", "Shop_Log::write();", "shop.php:8 uses the class Shop_Log in the hook"],
    ["a constant", "$level = SHOP_LEVEL;", "shop.php:8 uses the constant SHOP_LEVEL in the hook"],
    ["a checked function", "if ( function_exists( 'shop_log' ) ) { shop_log(); }", undefined],
    ["a checked constant", "$level = defined( 'SHOP_LEVEL' ) ? SHOP_LEVEL : 1;", undefined],
    ["a caught function", "try { shop_log(); } catch ( Error $error ) {}", undefined],
  ])("is a hook that uses %s that is not defined", async (_what, php, reason) => {
    const project = await lockedProject({ "shop.php": onInit(register("shop/list")) });
    await project.write("mu-plugins/shop.php", onInit(`${register("shop/list")}\n${php}`));
    const { exitCode, document } = await project.runJson(["check", "--php"]);
    expect(document["changes"]).toEqual([]);
    expect(document["unverified"]).toMatchObject(
      reason === undefined
        ? []
        : [{ reason: expect.stringContaining(reason) as string, rule: "php-unresolved" }],
    );
    expect(exitCode).toBe(reason === undefined ? 0 : 3);
  });
});
