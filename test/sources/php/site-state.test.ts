import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findPluginFiles } from "../../../src/sources/php/plugin-files.js";
import { runPhpFromPath, type RunPhp } from "../../../src/sources/php/php-process.js";
import { runPlugins } from "../../../src/sources/php/run-plugins.js";
import { readStub } from "../../../src/sources/php/read-stub.js";
import type { JsonValue } from "../../../src/core/json.js";
import { hasPhp, WITH_PHP } from "./has-php.js";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "site-state-"));
});
afterAll(() => rm(dir, { recursive: true }));

let plugins = 0;

interface Found {
  /** The names of abilities that are known. */
  readonly known: readonly string[];
  /** Why other abilities are not known, by name. */
  readonly doubts: { readonly [name: string]: string };
}

const REGISTER = (name: string, schema = "array( 'type' => 'object' )"): string =>
  `wp_register_ability( 'acme/${name}', array( 'label' => 'L', 'description' => 'D', 'category' => 'site', 'input_schema' => ${schema},
    'execute_callback' => '__return_true', 'permission_callback' => '__return_true' ) );`;

function mainFile(before: string, php: string): string {
  return `<?php\n/* Plugin Name: Acme */\n${before}\nadd_action( 'wp_abilities_api_init', function () {\n${REGISTER("always")}\n${php}\n} );\n`;
}

/** Runs a plugin that registers `always`, and whatever the PHP registers. */
async function find(
  php: string,
  {
    before = "",
    stubs,
  }: { readonly before?: string; readonly stubs?: { readonly [name: string]: JsonValue } } = {},
): Promise<Found> {
  plugins += 1;
  await mkdir(join(dir, `acme-${plugins}`));
  await writeFile(join(dir, `acme-${plugins}`, "acme.php"), mainFile(before, php));
  const reading = await readStub("acme", { paths: [`acme-${plugins}`], ...(stubs && { stubs }) }, { dir });
  expect(reading.failures).toEqual([]);
  const doubts = reading.abilities.flatMap(({ ability, doubt }) =>
    doubt === undefined ? [] : [[ability.name, doubt]],
  );
  return {
    known: reading.abilities.filter(({ doubt }) => doubt === undefined).map(({ ability }) => ability.name),
    doubts: Object.fromEntries([...doubts, ...reading.possible]) as Found["doubts"],
  };
}

/** Conditions that are false on a new site, by the answer that they depend on. */
const FALSE: readonly (readonly [string, string])[] = [
  [`get_option("acme_pro")`, "get_option( 'acme_pro' )"],
  [`get_option("acme_mode")`, "'pro' === get_option( 'acme_mode', 'free' )"],
  [`get_option("acme")`, "! empty( get_option( 'acme', array() )['pro'] )"],
  [`get_option("acme_list")`, "in_array( 'pro', get_option( 'acme_list', array() ), true )"],
  [`get_option("acme_level")`, "get_option( 'acme_level', 0 ) > 5"],
  [`get_option("acme_network")`, "get_site_option( 'acme_network' )"],
  [`get_transient("acme_ready")`, "false !== get_transient( 'acme_ready' )"],
  [`get_user_meta("acme_beta")`, "get_user_meta( 1, 'acme_beta', true )"],
  [`apply_filters("acme_has_pro")`, "apply_filters( 'acme_has_pro', false )"],
  [`is_plugin_active("shop/shop.php")`, "is_plugin_active( 'shop/shop.php' )"],
  [`is_multisite()`, "is_multisite()"],
  [`is_admin()`, "is_admin()"],
  [`getenv("ACME_PRO")`, "getenv( 'ACME_PRO' )"],
  [`class_exists("WooCommerce")`, "class_exists( 'WooCommerce' )"],
  [`class_exists("Shop\\\\Order")`, "class_exists( \\Shop\\Order::class )"],
  [`function_exists("wc_get_order")`, "\\function_exists( 'wc_get_order' )"],
  [`defined("ACME_PRO")`, "defined( 'ACME_PRO' )"],
  [`extension_loaded("acme")`, "extension_loaded( 'acme' )"],
  [`did_action("shop_loaded")`, "did_action( 'shop_loaded' )"],
  [`wp_get_environment_type()`, "'production' === wp_get_environment_type()"],
  [`get_current_blog_id()`, "2 === get_current_blog_id()"],
  [`current_user_can("manage_options")`, "! current_user_can( 'manage_options' )"],
  [`get_posts()`, "count( get_posts() ) > 0"],
  [`get_theme_mod("acme")`, "get_theme_mod( 'acme' )"],
];

describe.skipIf(!hasPhp)(`an ability that depends on the site${WITH_PHP}`, () => {
  test.each(FALSE)("is not known: %s", async (origin, condition) => {
    const { known, doubts } = await find(
      `if ( ${condition} ) { ${REGISTER("pro")} }\nif ( ! ( ${condition} ) ) { ${REGISTER("free")} }`,
    );
    expect(known).toEqual(["acme/always"]);
    for (const name of ["acme/pro", "acme/free"])
      expect(doubts[name]).toContain(`It depends on the site: ${origin}`);
  });

  /** Other ways to write a condition on one option. */
  const FORMS: Readonly<Record<string, { readonly php: string; readonly before?: string }>> = {
    "an early return": { php: `if ( ! get_option( 'acme_pro' ) ) { return; } ${REGISTER("pro")}` },
    "a variable": { php: `$pro = get_option( 'acme_pro' ); if ( $pro ) { ${REGISTER("pro")} }` },
    "a compared variable": {
      php: `$pro = 'yes' === get_option( 'acme_pro' ); if ( $pro ) { ${REGISTER("pro")} }`,
    },
    "a helper": {
      before: "function acme_is_pro() { return 'yes' === get_option( 'acme_pro', 'no' ); }",
      php: `if ( acme_is_pro() ) { ${REGISTER("pro")} }`,
    },
    "a typed helper": {
      before:
        "function acme_is_pro(): bool { $all = get_option( 'acme_pro', array() ); return ! empty( $all['enabled'] ); }",
      php: `if ( acme_is_pro() ) { ${REGISTER("pro")} }`,
    },
    "a kept helper": {
      before: "function acme_is_pro(): bool { return (bool) get_option( 'acme_pro' ); }",
      php: `$pro = acme_is_pro(); if ( $pro ) { ${REGISTER("pro")} }`,
    },
    "a property": {
      before:
        "class Acme { public $pro; function __construct() { $this->pro = get_option( 'acme_pro' ); } function add() { if ( $this->pro ) { " +
        REGISTER("pro") +
        " } } }",
      php: "( new Acme() )->add();",
    },
    "merged defaults": {
      php: `$all = wp_parse_args( get_option( 'acme_pro' ), array( 'pro' => false ) ); if ( $all['pro'] ) { ${REGISTER("pro")} }`,
    },
    "a short circuit": {
      before: `function acme_add() { ${REGISTER("pro")} }`,
      php: "get_option( 'acme_pro' ) && acme_add();",
    },
    "a ternary": {
      before: `function acme_add() { ${REGISTER("pro")} }`,
      php: "'on' === get_option( 'acme_pro' ) ? acme_add() : null;",
    },
    "a list": { php: `foreach ( get_option( 'acme_pro', array() ) as $name ) { ${REGISTER("pro")} }` },
    "two conditions": { php: `if ( get_option( 'acme_pro' ) && is_multisite() ) { ${REGISTER("pro")} }` },
    "nested conditions": {
      php: `if ( get_option( 'acme_pro' ) ) { if ( ! is_multisite() ) { ${REGISTER("pro")} } }`,
    },
    "code that is loaded before": {
      before: `if ( get_option( 'acme_pro' ) ) { add_action( 'wp_abilities_api_init', function () { ${REGISTER("pro")} } ); }`,
      php: "",
    },
    "a value": {
      php: REGISTER("pro", "array( 'type' => 'object', 'title' => get_option( 'acme_pro', 'Acme' ) )"),
    },
  };

  test.each(Object.entries(FORMS))("is not known by %s", async (_, { php, before = "" }) => {
    const { known, doubts } = await find(php, { before });
    expect(known).toEqual(["acme/always"]);
    expect(doubts["acme/pro"]).toContain('get_option("acme_pro")');
  });

  test.each(
    FALSE.filter(([origin]) =>
      /^(?!get_posts|did_action|get_option\("acme_list)\w+\("|^is_(?:multisite|admin)/.test(origin),
    ),
  )("is known with a value for %s", async (origin, condition) => {
    const [, name = "", argument] = /^(\w+)\((?:"(.*)")?\)$/.exec(origin) ?? [];
    const value = origin.startsWith("current");
    const given = argument === undefined ? value : { [argument.replaceAll("\\\\", "\\")]: value };
    const { known, doubts } = await find(`if ( ${condition} ) { ${REGISTER("pro")} }`, {
      stubs: { [name]: given },
    });
    expect([known, doubts]).toEqual([["acme/always"], {}]);
  });
});

describe.skipIf(!hasPhp)(`an ability that does not depend on the site${WITH_PHP}`, () => {
  test.each([
    [
      "a guard against loading twice",
      "if ( defined( 'ACME_VERSION' ) ) { return; } define( 'ACME_VERSION', '1' );",
    ],
    [
      "a guarded function",
      "if ( ! function_exists( 'acme_help' ) ) { function acme_help() {} } acme_help();",
    ],
    ["a guarded class", "if ( ! class_exists( 'Acme_Help' ) ) { class Acme_Help {} } new Acme_Help();"],
    ["a guard of WordPress", "if ( ! defined( 'ABSPATH' ) ) { exit; } defined( 'WPINC' ) || die;"],
    [
      "an upgrade",
      "if ( version_compare( get_option( 'acme_version', '0' ), '2', '<' ) ) { update_option( 'acme_version', '2' ); }",
    ],
    [
      "an admin page",
      "if ( is_admin() ) { add_action( 'admin_menu', function () { new WP_List_Table(); } ); acme_admin_only( 1 ); }",
    ],
    ["an option of WordPress", "$date = get_option( 'date_format' ); if ( 'Y' === $date ) { return; }"],
    [
      "an option that the plugin sets",
      "add_option( 'acme_on', 'yes' ); if ( 'yes' !== get_option( 'acme_on' ) ) { return; }",
    ],
    ["a filter of values", "$list = apply_filters( 'acme_list', array( 'a' ) ); if ( ! $list ) { return; }"],
    [
      "a value that cannot be replaced",
      "$rate = get_option( 'acme_rate', 10 ) * 2; $parts = explode( ',', get_option( 'acme_parts', '' ) ); array_map( 'trim', get_option( 'acme_more', array() ) );",
    ],
    [
      "a callback of another plugin",
      "if ( function_exists( 'shop_list' ) ) { add_filter( 'acme_list', 'shop_list' ); }\nadd_action( 'init', function () { apply_filters( 'acme_list', array() ); } );",
    ],
    ["an exit of another site", "if ( defined( 'DOING_CRON' ) && DOING_CRON ) { exit; }"],
  ])("is known: %s", async (_, before) => {
    const { known, doubts } = await find(REGISTER("free"), { before });
    expect([known, doubts]).toEqual([["acme/always", "acme/free"], {}]);
  });
});

describe.skipIf(!hasPhp)(`the number of runs${WITH_PHP}`, () => {
  const ask = (count: number): string =>
    Array.from(
      { length: count },
      (_, at) => `if ( get_option( 'acme_${at}' ) ) { ${REGISTER(`pro-${at}`)} }`,
    ).join("\n");

  test.each([
    ["that asks nothing", "", "", 1],
    [
      "that checks for its own names",
      "if ( defined( 'ACME_VERSION' ) ) { return; } define( 'ACME_VERSION', 1 );",
      "",
      2,
    ],
    ["that asks for one option", "", ask(1), 3],
    ["that asks for three options", "", ask(3), 6],
    ["that asks for 40 options", "", ask(40), 11],
  ])("of a plugin %s", async (_, before, php, expected) => {
    plugins += 1;
    await mkdir(join(dir, `acme-${plugins}`));
    await writeFile(join(dir, `acme-${plugins}`, "acme.php"), mainFile(before, php));
    const files = await findPluginFiles(dir, [`acme-${plugins}`], "servers.acme.php");
    let runs = 0;
    const run: RunPhp = (one) => {
      runs += 1;
      return runPhpFromPath(one);
    };
    const found = await runPlugins(files, { run, nameOf: (file) => file });
    expect(runs).toBe(expected);
    const names = found?.alternatives.flatMap(({ abilities }) => [...(abilities?.keys() ?? [])]);
    expect(new Set(names?.filter((name) => name.startsWith("acme/pro-"))).size).toBe(
      php.split("pro-").length - 1,
    );
  });
});
