import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describeRefusals } from "../../../src/report/describe-findings.js";
import { describe, expect, it, test } from "vitest";
import type { AbilitySnapshot } from "../../../src/core/ability.js";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import { readPhp } from "../../../src/sources/php/read-php.js";
import { describeOld } from "../../../src/sources/php/snapshot-of-php.js";
import { hasPhp, WITH_PHP } from "./has-php.js";
import { type Files, lookup, makePlugins, onInit, register } from "./make-plugin.js";

const plugins = await makePlugins();
const { read } = plugins;
const HOOK = "wp_abilities_api_init";

/** Returns abilities as JSON, with a line for each schema and one for the rest. */
function linesOf(abilities: readonly AbilitySnapshot[]): string {
  const texts = abilities.map(({ input_schema, output_schema, ...rest }) => {
    const schemas = Object.entries({ input_schema, output_schema }).filter(
      ([, schema]) => schema !== undefined,
    );
    const lines = schemas.map(([name, schema]) => `,\n "${name}":${JSON.stringify(schema)}`);
    return `${JSON.stringify(rest).slice(0, -1)}${lines.join("")}}`;
  });
  return `[\n${texts.join(",\n")}\n]\n`;
}

async function relink(target: string, path: string): Promise<void> {
  await rm(path, { force: true });
  await symlink(target, path);
}

describe.skipIf(!hasPhp)(`the core of WordPress${WITH_PHP}`, () => {
  test("registers all abilities of the plugins in test/wordpress", async () => {
    const dir = resolve("test/wordpress");
    const reading = await readPhp("own", { paths: ["mu-plugins", "plugins"] }, { dir, lookup });
    expect(reading).toMatchObject({ refused: [], failures: [], gaps: [], outputs: [], notes: [] });
    expect(reading.by).toMatch(/^php [\d.]+ in WordPress [\d.]+ \(a new single site\)$/);
    // Reviewed by hand; accept a change with `npm test -- test/sources/php -u`.
    const found = reading.abilities.map(({ ability }) => ability);
    await expect(linesOf(found)).toMatchFileSnapshot(join(dir, "abilities.json"));
  });

  const CASES = ["odd-attrs", "odd-config", "odd-lazy"];
  const hasCases = existsSync("../shared/cases/php");
  test.skipIf(!hasCases).each(CASES)(
    `registers what a site does: %s${hasCases ? "" : " (skipped: no cases)"}`,
    async (name) => {
      const dir = resolve("../shared/cases/php");
      const { abilities } = await readPhp("odd", { paths: [name] }, { dir, lookup });
      const truth = JSON.parse(await readFile(join(dir, `${name}.truth.json`), "utf8")) as JsonValue;
      const sorted = abilities.map(({ ability }) => ability).sort((a, b) => (a.name < b.name ? -1 : 1));
      expect(sorted).toEqual(truth);
    },
  );

  it("names what WordPress refuses, with its line", async () => {
    const REFUSED: readonly (readonly [what: string, php: string, reason: RegExp])[] = [
      ["a name without a namespace", onInit(register("x").replace("acme/x", "x")), /^Ability name must be/],
      ["a name with capitals", onInit(register("One")), /^Ability name must be/],
      ["a repeated name", onInit(register("x") + register("x")), /already registered/],
      ["an unknown category", onInit(register("a").replace("'site'", "'none'")), /category "none" is not registered/],
      ["no description", onInit(register("b").replace("'D'", "''")), /`description`/],
      ["no permission", onInit(register("c").replace(/'permission_callback' => '__return_true',/, "")), /`permission_callback`/],
      ["an invalid callback", onInit(register("d").replace("__return_true", "none")), /`execute_callback`/],
      ["another time", `add_action( 'init', function () { ${register("e")} } );`, /must be registered on the wp_abilities_api_init/],
    ];
    const paths = await Promise.all(REFUSED.map(([, php]) => plugins.write(php)));
    const { refused } = await readPhp("acme", { paths }, { dir: plugins.dir, lookup });
    expect(refused).toHaveLength(REFUSED.length);
    for (const [at, [what, , reason]] of REFUSED.entries()) {
      const mine = refused.filter(({ file }) => file === `${paths[at] ?? ""}/acme.php`);
      expect([what, mine]).toMatchObject([what, [{ kind: "ability", reason: expect.stringMatching(reason) as string }]]);
      expect(mine[0]?.line).toBeGreaterThan(2);
    }
  }); // prettier-ignore

  it("names a hook that WordPress does not fire", async () => {
    const path = await plugins.write(
      `add_action( 'abilities_api_init', function () { ${register("x")} } );
      foreach ( array( '', 'wp_' ) as $before ) { add_action( "{$before}abilities_api_categories_init", '__return_true' ); add_action( "{$before}abilities_api_init", function () {} ); }`,
    );
    const { abilities, notes, old } = await readPhp("acme", { paths: [path] }, { dir: plugins.dir, lookup });
    const file = `${path}/acme.php`;
    expect([abilities, notes, old]).toEqual([[], [], [{ hook: "abilities_api_init", file, line: 3 }]]);
    expect(old.map(describeOld)).toEqual([
      `${file}:3 is on the hook "abilities_api_init", which WordPress does not fire: use "wp_abilities_api_init"`,
    ]);
  });

  it("reports text that plugins print", async () => {
    const PRINTING: readonly (readonly [what: string, php: string, outputs: readonly object[]])[] = [
      ["in a hook", onInit("echo 'Hi';"), [{ line: 4, hook: HOOK, text: "Hi" }]],
      ["while it loads", "print 'Hi';", [{ line: 3, hook: "", text: "Hi" }]],
      [
        "in its own buffer, and sends it",
        "ob_start(); echo 'Hi'; ob_end_flush();",
        [{ line: 3, text: "Hi" }],
      ],
      ["after its code", "?>\nHi\n", [{ hook: "", text: "Hi" }]],
      ["as a byte order mark", "?>\n\ufeff", [{ text: "\ufeff" }]],
      ["in its own buffer, and keeps it", "ob_start(); echo 'Hi'; ob_get_clean();", []],
      ["as white space", "?>\n\n  \n", []],
      ["in a hook of a page", "add_action( 'wp_footer', function () { echo 'Hi'; } );", []],
      ["on stdout itself, and closes it", "fwrite( STDOUT, 'Hi' ); fclose( STDOUT );", []],
    ];
    const paths = await Promise.all(PRINTING.map(([, php]) => plugins.write(php)));
    const { outputs } = await readPhp("acme", { paths }, { dir: plugins.dir, lookup });
    for (const [at, [what, , expected]] of PRINTING.entries()) {
      const mine = outputs.filter(({ file }) => file === `${paths[at] ?? ""}/acme.php`);
      expect([what, mine]).toMatchObject([what, expected]);
    }
    expect(outputs).toHaveLength(5);
  });

  it.each<readonly [what: string, files: Files | string, reason: RegExp]>([
    ["cannot be parsed", "if ( {", /acme\.php", line 3, loading: ParseError: syntax error/],
    ["throws while it loads", "throw new RuntimeException( 'no' );", /line 3, loading: RuntimeException: no\.$/],
    [
      "defines what JSON cannot write",
      onInit(register("x", "'input_schema' => array( 'type' => 'number', 'maximum' => INF )")),
      new RegExp(`line 4, in the hook "wp_abilities_api_init": the definition of "acme/x" cannot be written as JSON: Inf and NaN cannot be JSON encoded\\.$`),
    ],
    ["throws in a hook", "add_action( 'init', function () {\nthrow new LogicException( 'no' ); } );", /line 4, in the hook "init": LogicException: no\.$/],
    [
      "throws in a class of WordPress",
      "add_action( 'init', function () {\nnew WP_Query( new WP_Query() ); wp_list_pluck(); } );",
      /line 4, in the hook "init": /,
    ],
    ["lacks a class", "class A extends WC_Integration {}", /Class "WC_Integration" not found\.$/],
    [
      "lacks a function of another plugin",
      onInit("wc_get_orders();"),
      new RegExp(`in the hook "${HOOK}": Error: Call to undefined function wc_get_orders\\(\\)\\.$`),
    ],
    ["uses a function of wp-admin", onInit("get_editable_roles();"), /Call to undefined function get_editable_roles\(\)\.$/],
    ["lacks a file", "require_once __DIR__ . '/gone.php';", /Failed opening required/],
    ["has a fatal error", "trigger_error( 'stop', E_USER_ERROR );", /line 3, loading: stop\.$/],
    ["uses too much memory", "add_action( 'init', function () { $a = str_repeat( 'x', 600000000 ); } );", /line 3, in the hook "init": Allowed memory size/],
    ["calls itself without end", "function again() {\nreturn again() + 1; } add_action( 'init', 'again' );", /line 4, in the hook "init": Allowed memory size/],
    ["ends the process", "exit;", /line 3, loading: the plugin ends the process \(exit or die\)\.$/],
    [
      "ends the process in a hook",
      "add_action( 'init', function () {\n if ( true ) { exit( 'bye' ); } } );",
      /line 4, in the hook "init": the plugin ends the process/,
    ],
    [
      "stops WordPress",
      "add_action( 'init', function () {\nwp_die( 'Not <b>allowed</b>' ); } );",
      /line 4, in the hook "init": the plugin stops WordPress with "Not allowed"\.$/,
    ],
    [
      "redirects",
      "add_action( 'init', function () {\nwp_redirect( 'https://example.org/in' ); exit; } );",
      /line 4, in the hook "init": the plugin redirects to "https:\/\/example\.org\/in" and ends the process\.$/,
    ],
  ])("names a plugin that %s, and reads the others", async (_, files, reason) => {
    const good = await plugins.write(onInit(register("good")));
    const { abilities, failures } = await read(files, { paths: [good] });
    expect(failures).toHaveLength(1);
    expect(failures[0]?.reason).toMatch(reason);
    expect(failures[0]?.reason).toMatch(/^"acme-\d+\/acme\.php"/);
    expect(abilities.map(({ ability }) => ability.name)).toEqual(["acme/good"]);
  }); // prettier-ignore

  it("fails with the only plugin", async () => {
    await expect(read("throw new RuntimeException( 'no' );")).rejects.toMatchObject({
      code: "PHP_FAILED",
      message: expect.stringMatching(
        /^"acme-\d+\/acme\.php", line 3, loading: RuntimeException: no\.$/,
      ) as string,
    });
  });

  it("says that a function is missing here only", async () => {
    await expect(read(onInit("sleep( 1 );"))).rejects.toMatchObject({
      hint: expect.stringMatching(/^sleep\(\) is not there when PHP is read without a site/) as string,
      place: { line: 4 },
    });
  });

  it("says once why WordPress refuses several abilities", async () => {
    const refuse = (name: string): string => register(name).replace("'site'", "'none'");
    const { refused } = await read(onInit(`${register("good")} ${refuse("one")} ${refuse("two")}`));
    expect(describeRefusals(refused.map((each) => ({ ...each, file: "acme.php" })))).toEqual([
      'WordPress would not register the abilities "acme/one" (acme.php:5), "acme/two" (acme.php:6): Ability category "none" is not registered.',
    ]);
  });

  it("lets no plugin write a file, reach the network or start a program", async () => {
    const reading = await read(`
      $written = array(
        @file_put_contents( __DIR__ . '/written.txt', 'x' ), @mkdir( __DIR__ . '/made' ), @touch( __DIR__ . '/touched' ),
        @rename( __FILE__, __DIR__ . '/renamed.php' ), @unlink( __FILE__ ), @copy( __FILE__, __DIR__ . '/copy.php' ), @fopen( __FILE__, 'a' ),
      );
      $temporary = sys_get_temp_dir();
      $inside = array( file_put_contents( "$temporary/a.txt", 'x' ), unlink( "$temporary/a.txt" ), mkdir( "$temporary/a/b/c", 0777, true ) );
      $written[] = @mkdir( "$temporary/d/../../e/f", 0777, true );
      $names  = array( 'exec', 'shell_exec', 'proc_open', 'fsockopen', 'curl_init', 'mail', 'symlink', 'link' );
      $usable = array_filter( $names, 'function_exists' );
      $remote = array( is_wp_error( wp_remote_get( 'https://example.org' ) ), @file_get_contents( 'https://example.org' ) );
      ${onInit("global $written, $inside, $usable, $remote;\n" + register("x", "'input_schema' => array( 'enum' => array( $written, $inside, $usable, $remote ) )"))}`);
    expect(reading.abilities[0]?.ability).toMatchObject({
      input_schema: { enum: [Array.from({ length: 8 }, () => false), [1, true, true], [], [true, false]] },
    });
    const [folder = ""] = reading.abilities.map(({ file }) => join(plugins.dir, file, ".."));
    expect(await readdir(folder)).toEqual(["acme.php"]);
  });

  it.each<readonly [what: string, php: object, answers: { readonly [name: string]: readonly [expression: string, value: JsonValue] }]>([
    [
      "settings",
      { options: { acme: "yes", acme_list: { a: 1 }, acme_on: true }, constants: { ACME_EDITION: "pro", ACME_MOST: 5 }, bootstrap: "bootstrap.php", theme: "shop-theme" },
      {
        options: ["array( get_option( 'acme' ), get_option( 'acme_list' ), get_option( 'acme_on' ) )", ["yes", { a: 1 }, "1"]],
        constants: ["array( ACME_EDITION, ACME_MOST )", ["pro", 5]],
        bootstrap: ["array( shop_states(), class_exists( 'Shop' ) )", [["paid"], true]],
        theme: ["array( get_stylesheet(), did_action( 'shop_theme' ) )", ["shop-theme", 1]],
      },
    ],
    ["a network", { constants: { MULTISITE: true } }, { network: ["array( is_multisite(), get_current_blog_id() )", [true, 1]] }],
    [
      "a new site",
      {},
      {
        site: [
          "array( get_option( 'blogname' ), get_option( 'posts_per_page' ), count( wp_roles()->roles ), get_option( 'admin_email' ), is_user_logged_in(), get_locale(), rest_url() )",
          ["WordPress", "10", 5, "admin@example.org", false, "en_US", "http://localhost/wp-json/"],
        ],
        "request-for-the-list": [
          "array( defined( 'REST_REQUEST' ) && REST_REQUEST, wp_is_serving_rest_request(), strtok( $_SERVER['REQUEST_URI'], '?' ) )",
          [true, true, "/wp-json/wp-abilities/v1/abilities"],
        ],
        "error-handler": [
          "array( set_error_handler( function () { throw new Exception(); } ), file_exists( __DIR__ . '/gone' ), restore_error_handler() )",
          [null, false, true],
        ],
        upgrade: ["array( require_once ABSPATH . 'wp-admin/includes/upgrade.php', dbDelta( 'CREATE TABLE acme ( id int )' ) )", [1, { acme: "Created table acme" }]],
        "not-utf": ['array( "\\xff bad", "\u00fc 0.5" )', ["? bad", "\u00fc 0.5"]],
        stored: [
          "array( update_option( 'acme_a', array( \"o'x\\\\y\" ) ), get_option( 'acme_a' ), delete_option( 'acme_a' ), get_option( 'acme_a', 'none' ) )",
          [true, ["o'x\\y"], true, "none"],
        ],
      },
    ],
  ])("has the answers of %s", async (_, php, answers) => {
    await plugins.put({
      "bootstrap.php": "<?php function shop_states() { return array( 'paid' ); } class Shop {}",
      "shop-theme/style.css": "/* Theme Name: Shop */",
      "shop-theme/index.php": "<?php",
      "shop-theme/functions.php": "<?php do_action( 'shop_theme' );",
    });
    const registered = Object.entries(answers).map(([name, [expression]]) =>
      register(name, `'input_schema' => array( 'enum' => ${expression} )`),
    );
    const { abilities } = await read(onInit(registered.join("\n")), php);
    const values = abilities.map(({ ability }) => [ability.name, (ability["input_schema"] as JsonObject)["enum"]]);
    expect(values).toEqual(Object.entries(answers).map(([name, [, value]]) => [`acme/${name}`, value]));
  }); // prettier-ignore

  it("loads must-use plugins, single files and several plugins in a folder as WordPress does", async () => {
    const base = (name: string): string =>
      onInit(register(name, "'input_schema' => array( 'title' => plugin_basename( __FILE__ ) )"));
    await plugins.put({
      "content/mu-plugins/a.php": "<?php require __DIR__ . '/lib/b.php';",
      "content/mu-plugins/lib/b.php": `<?php ${base("must-use")}`,
      "content/plugins/hello.php": `<?php /* Plugin Name: Hello */ ${base("hello")}`,
      "content/plugins/one/one.php": `<?php\n/* Plugin Name: One */ ${base("one")}`,
      "content/plugins/two/two.php": "<?php\n/* Plugin Name: Two */ require __DIR__ . '/inc/c.php';",
      "content/plugins/two/inc/c.php": `<?php ${base("two")}`,
    });
    const dir = join(plugins.dir, "content");
    const paths = ["mu-plugins", "plugins/hello.php", "plugins"];
    const { abilities } = await readPhp("acme", { paths }, { dir, lookup });
    const found = abilities.map(({ ability, file }) => [
      ability.name,
      (ability["input_schema"] as { title: string }).title,
      file,
    ]);
    expect(found).toEqual([
      ["acme/must-use", "lib/b.php", "mu-plugins/lib/b.php"],
      ["acme/hello", "hello.php", "plugins/hello.php"],
      ["acme/one", "one/one.php", "plugins/one/one.php"],
      ["acme/two", "two/inc/c.php", "plugins/two/inc/c.php"],
    ]);
    const FILES = [
      "mu-plugins/a.php",
      "mu-plugins/lib/b.php",
      "plugins/hello.php",
      "plugins/two/two.php",
      "plugins/two/inc/c.php",
    ];
    // A main file stands for the folder of its plugin, if it has one, and for the files that it loads.
    for (const [path, files, registered] of [
      ["plugins/two/two.php", ["plugins/two/two.php", "plugins/two/inc/c.php"], "acme/two"],
      ["plugins/hello.php", ["plugins/hello.php"], "acme/hello"],
      ["mu-plugins/a.php", ["mu-plugins/a.php", "mu-plugins/lib/b.php"], "acme/must-use"],
    ] as const) {
      const reading = await readPhp("acme", { paths: [path] }, { dir, lookup });
      const names = reading.abilities.map(({ ability }) => ability.name);
      expect([names, FILES.filter(reading.covers)]).toEqual([[registered], files]);
    }
  });

  it.each([
    ["a folder with a slash", "out/acme/", "out/acme/"],
    ["a folder above the configuration", "../links/out/acme", "out/acme/"],
    ["a linked folder", "linked", "linked/"],
    ["a main file in a linked folder", "linked/acme.php", "linked/"],
    ["a linked main file", "linked.php", "out/acme/"],
    ["a folder of plugins with a link", "plugins", "plugins/acme/"],
    ["a main file behind a link", "plugins/acme/acme.php", "plugins/acme/"],
  ])("names the files of a plugin as the path does: %s", async (_what, path, folder) => {
    const dir = join(plugins.dir, "links");
    await plugins.put({
      "links/out/acme/acme.php": "<?php\n/* Plugin Name: Acme */ require __DIR__ . '/inc/abilities.php';",
      "links/out/acme/inc/abilities.php": `<?php ${onInit(register("one"))}`,
    });
    await mkdir(join(dir, "plugins"), { recursive: true });
    for (const link of ["linked", "plugins/acme"]) await relink(join(dir, "out/acme"), join(dir, link));
    await relink(join(dir, "out/acme/acme.php"), join(dir, "linked.php"));
    const reading = await readPhp("acme", { paths: [path] }, { dir, lookup });
    const file = `${folder}inc/abilities.php`;
    expect(reading.abilities.map((each) => [each.file, reading.covers(each.file)])).toEqual([[file, true]]);
    expect(reading.notes).toEqual([]);
  });

  it("reads a child theme, whose files WordPress loads", async () => {
    await plugins.put({
      "site/themes/base/style.css": "/* Theme Name: Base */",
      "site/themes/base/functions.php": `<?php ${onInit(register("base"))}`,
      "site/themes/child/style.css": "/*\nTheme Name: Child\nTemplate: base\n*/",
      "site/themes/child/functions.php": "<?php require __DIR__ . '/inc/abilities.php';",
      "site/themes/child/inc/abilities.php": `<?php ${onInit(register("child"))}`,
      "site/themes/child/header.php": "<html>",
      "site/hello.php": "<?php /* Plugin Name: Hello */",
    });
    const dir = join(plugins.dir, "site");
    const theme = "themes/child";
    for (const php of [
      { paths: [theme] },
      { paths: [`${theme}/functions.php`] },
      { paths: ["hello.php"], theme },
    ]) {
      const { abilities, outputs, notes } = await readPhp("acme", php, { dir, lookup });
      const found = abilities.map(({ ability, file }) => `${ability.name} ${file}`);
      const files = ["acme/child themes/child/inc/abilities.php", "acme/base themes/base/functions.php"];
      expect([found, outputs, notes]).toEqual([files, [], []]);
    }
  });

  it.each(["bootstrap", "theme"])("refuses a %s that does not exist", async (key) => {
    await expect(read("", { [key]: "gone" })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: `servers.acme.php.${key}: "gone" does not exist.`,
    });
  });

  it("says that PHP is too old for the core", async () => {
    await plugins.put({
      "new-core/wp-includes/abilities-api/a.php": "",
      "new-core/wp-includes/version.php": "<?php\n$wp_version = '9.0';\n$required_php_version = '99.1';\n",
      "new-core/wp-settings.php": "<?php",
      "new-core/wp-includes/abilities-api.php": "<?php",
    });
    await expect(read("", { core: "new-core" })).rejects.toMatchObject({
      code: "PHP_FAILED",
      message: expect.stringMatching(
        /^PHP [\d.]+ is too old for WordPress 9\.0, which needs PHP 99\.1\.$/,
      ) as string,
    });
  });

  it("says how to get a WordPress if there is none", async () => {
    await expect(read("", {}, { lookup: () => undefined })).rejects.toMatchObject({
      code: "PHP_FAILED",
      message: 'The PHP of "acme" cannot be read: no WordPress 6.9 or later was found.',
    });
  });
});
