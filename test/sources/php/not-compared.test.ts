import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasPhp, WITH_PHP } from "./has-php.js";
import { LOCKFILE_NAME, makeProject, type Project } from "../../e2e/make-project.js";

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

/** A plugin that loads a file beside its folder under a condition. */
function shopWith(condition: string): string {
  return `<?php\n/* Plugin Name: Shop */\nif ( ${condition} ) { require dirname( __DIR__ ) . '/lib/get.php'; }`;
}

describe.skipIf(!hasPhp)(`what check --php cannot compare${WITH_PHP}`, () => {
  test.each([
    ["nothing", "", "."],
    [
      "nothing without a license",
      onInit(`if ( ! get_option( 'license' ) ) { return; } ${register("shop/list")}`),
      ' unless get_option("license") is "1" (mu-plugins/shop.php:3).',
    ],
    [
      "nothing that is not in a list of the site",
      onInit(`get_option( 'mode' );
        foreach ( array( 'shop/list', 'shop/get' ) as $name ) {
          if ( in_array( $name, (array) get_option( 'enabled', array() ), true ) ) { ${register("$name").replace("'$name'", "$name")} }
        }`),
      ' unless get_option("enabled") is {"3":"shop/get"} (mu-plugins/shop.php:5).',
    ],
    [
      "nothing without another plugin",
      onInit(`// Or is_multisite().\nif ( ! class_exists( 'Shop' ) ) { return; } ${register("shop/list")}`),
      ' unless class_exists("Shop") is true (mu-plugins/shop.php:4).',
    ],
    [
      "nothing, whatever the site is",
      onInit(`if ( get_option( 'license' ) ) { trigger_error( 'x', E_USER_NOTICE ); }`),
      ', perhaps because of get_option("license") (mu-plugins/shop.php:3).',
    ],
    [
      "only what WordPress refuses",
      onInit(register("shop").replace("'site'", "'none'")),
      /: mu-plugins\/shop\.php:3 "shop": Ability name must be .*\.$/m,
    ],
  ])("is not locked at first: %s", async (_what, php, why) => {
    const project = await makeProject({ servers: { shop: { php: { paths: ["mu-plugins"] } } } });
    await mkdir(join(project.dir, "mu-plugins"));
    await project.write("mu-plugins/shop.php", php);
    const what = 'WordPress registers no ability of the PHP of "shop"';
    await project.prints(
      ["pull", "--php"],
      3,
      typeof why === "string" ? what + why : new RegExp(what + why.source, why.flags),
    );
    expect(await project.paths()).not.toContain(LOCKFILE_NAME);
  });

  test("is unverified: a locked tool without a file, with a namespace of the PHP", async () => {
    const project = await lockedProject({ "shop.php": onInit(register("shop/list", "shop/get")) });
    await project.write("mu-plugins/shop.php", onInit(register("shop/list")));
    await forgetFiles(project);
    const { stdout } = await project.prints(
      ["check", "--php"],
      3,
      'The definition of "shop-get" is not known.',
    );
    expect(stdout).not.toContain("Up to date");
  });

  test("is not reported as up to date if it belongs to another plugin", async () => {
    const project = await lockedProject({
      "shop.php": onInit(register("shop/list")),
      "other.php": onInit(register("other/list")),
    });
    await forgetFiles(project);
    await project.write("mu-plugins/other.php", "<?php");
    await project.prints(
      ["check", "--php"],
      0,
      /No drift in the compared tools: checked 1 server and \d+ files against the lock, 1 tool not compared\./,
    );
  });

  test.each([
    ["throws", "throw new RuntimeException( 'No.' );", "RuntimeException: No."],
    ["takes all memory", "$a = 'x'; while ( true ) { $a .= $a; }", "Allowed memory size"],
  ])("a plugin that %s fails alone", async (_what, php, message) => {
    const project = await lockedProject({
      "a-broken.php": onInit(register("broken/list")),
      "b-shop.php": onInit(register("shop/list")),
    });
    await project.write("mu-plugins/a-broken.php", `<?php\n${php}`);
    await project.prints(["check", "--php"], 3, message, 'Not checked: "broken-list".');
    await project.write(
      "mu-plugins/b-shop.php",
      onInit(register("shop/list")).replace("'integer'", "'string'"),
    );
    const { exitCode, document } = await project.runJson(["check", "--php"]);
    expect(exitCode).toBe(1);
    expect(document["changes"]).toMatchObject([{ tool: "shop-list" }]);
  });

  test("is not an ability that is as locked on a site with an option, if the site that was locked has it", async () => {
    const project = await lockedProject({ "shop.php": onInit(register("shop/list", "shop/get")) });
    const php = `${register("shop/list")}\nif ( get_option( 'shop_mode' ) ) { ${register("shop/get")} }`;
    await project.write("mu-plugins/shop.php", onInit(php));
    const answer = 'as locked if get_option("shop_mode") is "1"';
    const changed = await project.runJson(["check", "--php"]);
    expect([changed.exitCode, changed.document["changes"]]).toMatchObject([
      1,
      [
        {
          rule: "tool-removed",
          tool: "shop-get",
          reason: `It is ${answer}: if the site has that, set php.options`,
          php: { file: "mu-plugins/shop.php", line: 8 },
        },
      ],
    ]);
    // A lock of an earlier build does not tell.
    const lock = await project.read(LOCKFILE_NAME);
    await project.write(LOCKFILE_NAME, lock.replace(/,\s*"answers": \{\}/, ""));
    const { exitCode, document } = await project.runJson(["check", "--php"]);
    expect([exitCode, document["changes"]]).toEqual([0, []]);
    expect(document["php"]).toMatchObject([{ facts: { php: { abilities: 2, notes: [answer] } } }]);
  });

  test.each([
    ["loses its code", "lib/list.php", onInit(""), { tool: "shop-list", php: { file: "lib/list.php" } }],
    [
      "is refused",
      "lib/list.php",
      onInit(register("shop/list").replace("'site'", "'none'")),
      { tool: "shop-list", reason: expect.stringMatching(/^WordPress would not register it: /) as string },
    ],
    [
      "loses its file",
      "shop/shop.php",
      shopWith("true"),
      { tool: "shop-list", php: { file: "lib/list.php" } },
    ],
    [
      "is only there with an option",
      "shop/shop.php",
      `${shopWith("get_option( 'get' )")}\nrequire dirname( __DIR__ ) . '/lib/list.php';`,
      {
        tool: "shop-get",
        reason: 'It is as locked if get_option("get") is "1": if the site has that, set php.options',
        php: { file: "shop/shop.php", line: 3 },
      },
    ],
  ])(
    "is not an ability in a file that the plugin loads from elsewhere: it %s",
    async (_what, file, text, change) => {
      const project = await makeProject({ servers: { shop: { php: { paths: ["shop"] } } } });
      await project.write(
        "shop/shop.php",
        `${shopWith("true")}\nrequire dirname( __DIR__ ) . '/lib/list.php';`,
      );
      for (const name of ["list", "get"])
        await project.write(`lib/${name}.php`, onInit(register(`shop/${name}`)));
      await project.prints(["pull", "--php"], 0);
      await project.write(file, text);
      if (text === shopWith("true")) await rm(join(project.dir, "lib/list.php"));
      const { exitCode, document } = await project.runJson(["check", "--php"]);
      expect([exitCode, document["changes"]]).toMatchObject([1, [{ rule: "tool-removed", ...change }]]);
    },
  );

  test("is annotated in the PHP that fails", async () => {
    const project = await lockedProject({ "shop.php": onInit(register("shop/list")) });
    await project.write("mu-plugins/shop.php", "<?php\n\nadd_action( 'init' 'shop' );");
    const { stdout } = await project.run(["check", "--php", "--format", "github"]);
    expect(stdout).toContain("::error file=mu-plugins/shop.php,line=3,title=wordpress%3A not-verified::");
  });

  test("is an ability that depends on the site, and is not as locked either way", async () => {
    const project = await lockedProject({ "shop.php": onInit(register("shop/list")) });
    const checkWith = async (value: string): Promise<object> => {
      const php = `$type = ${value} ? 'string' : 'number';\n${register("shop/list").replace("'integer'", "$type")}`;
      await project.write("mu-plugins/shop.php", onInit(php));
      return (await project.runJson(["check", "--php"])).document;
    };
    const notCompared = (reason: string): object => {
      const message = expect.stringContaining(reason) as string;
      return { exitCode: 3, changes: [], unverified: [{ rule: "php-unresolved", message }] };
    };
    expect(await checkWith("is_multisite()")).toMatchObject(
      notCompared("It depends on the site: is_multisite() (mu-plugins/shop.php:3)"),
    );
    expect(await checkWith("$GLOBALS['wpdb']->get_var( 'SELECT 1' )")).toMatchObject(
      notCompared("It depends on the contents of the database, which mu-plugins/shop.php:3"),
    );
  });

  test("is not an ability of a plugin that queries the database for something else", async () => {
    const php = `global $wpdb; $wpdb->query( $wpdb->prepare( 'SELECT %s', "it's" ) );
      require_once ABSPATH . 'wp-admin/includes/plugin.php';
      ${register("shop/list")}`;
    const project = await lockedProject({ "shop.php": onInit(register("shop/list")) });
    await project.write("mu-plugins/shop.php", onInit(php));
    expect((await project.run(["check", "--php"])).exitCode).toBe(0);
  });

  test("is a plugin that uses what is not defined, unless it looks or catches the error", async () => {
    const project = await lockedProject({ "shop.php": onInit(register("shop/list")) });
    const hint = expect.stringContaining("load it with the php.bootstrap of this server.") as string;
    for (const [php, error] of [
      ["shop_log();", "Call to undefined function shop_log()."],
      ["$level = SHOP_LEVEL;", 'Undefined constant "SHOP_LEVEL".'],
      ["if ( function_exists( 'shop_log' ) ) { shop_log(); }"],
      ["$level = defined( 'SHOP_LEVEL' ) ? SHOP_LEVEL : 1;"],
      ["try { shop_log(); } catch ( Error $error ) {}"],
    ]) {
      await project.write("mu-plugins/shop.php", onInit(`${register("shop/list")}\n${php ?? ""}`));
      const { exitCode, document } = await project.runJson(["check", "--php"]);
      const message = `"mu-plugins/shop.php", line 8, in the hook "wp_abilities_api_init": Error: ${error ?? ""}`;
      const unverified = error === undefined ? [] : [{ server: "wordpress", message, hint }];
      expect([php, exitCode, document["changes"], document["unverified"]]).toMatchObject([
        php,
        error === undefined ? 0 : 3,
        [],
        unverified,
      ]);
    }
  });
});
