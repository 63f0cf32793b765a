import { describe, expect, it } from "vitest";
import type { PhpConfig } from "../../../src/config/config.js";
import type { LockedAbility } from "../../../src/core/ability.js";
import { toolNameOf } from "../../../src/core/ability.js";
import { isEqual, type JsonObject, type JsonValue } from "../../../src/core/json.js";
import type { PhpReading, ReadPhpOptions } from "../../../src/sources/php/php-answer.js";
import { readPhp } from "../../../src/sources/php/read-php.js";
import { sample } from "../../sample.js";
import { hasPhp, WITH_PHP } from "./has-php.js";
import { lookup, makePlugins, onInit, register } from "./make-plugin.js";

const plugins = await makePlugins();

/** Reads a plugin, as if these abilities were locked. */
async function readLocked(
  path: string,
  locked: readonly LockedAbility[] | undefined,
  php: PhpConfig = {},
  more: Pick<ReadPhpOptions, "answers" | "isOtherSite"> = {},
): Promise<PhpReading> {
  const differing = ({ abilities }: PhpReading): ReadonlySet<string> => {
    const before = new Map((locked ?? []).map(({ definition }) => [definition.name, definition]));
    const after = new Map(abilities.map(({ ability }) => [ability.name, ability]));
    const names = [...new Set([...before.keys(), ...after.keys()])];
    return new Set(names.filter((name) => !isEqual(before.get(name), after.get(name))).map(toolNameOf));
  };
  const options: ReadPhpOptions = { dir: plugins.dir, lookup, locked };
  return readPhp("acme", { paths: [path], ...php }, { ...options, differing, ...more });
}

/** Returns what a site with these settings has locked. */
async function lockOf(path: string, site: PhpConfig): Promise<readonly LockedAbility[]> {
  const options = { dir: plugins.dir, lookup };
  const { abilities } = await readPhp("acme", { paths: [path], ...site }, options);
  return abilities.map(({ ability, file }) => ({ definition: ability, file }));
}

/** Returns what a new site has locked, with other values. */
async function lockWith(value: JsonValue, path: string): Promise<readonly LockedAbility[]> {
  return (await lockOf(path, {})).map(({ definition, ...rest }) => ({
    definition: { ...definition, input_schema: { enum: [value] } },
    ...rest,
  }));
}

/** Writes a plugin that registers abilities so. */
const write = (php: string): Promise<string> => plugins.write(onInit(php));
/** Returns the locked definition of "acme/pro". */
async function lockOfPro(path: string): Promise<readonly LockedAbility[]> {
  const [{ definition } = { definition: { name: "" } }] = await lockOf(await write(register("pro")), {});
  return [{ definition, file: `${path}/acme.php` }];
}

const VALUE = "'input_schema' => array( 'enum' => array( $value ) )";
/** A site of which a new site has other answers, and what a plugin does with them. */
const SITES: readonly (readonly [question: string, php: string, site: PhpConfig])[] = [
  [`get_option("acme_pro")`, `if ( get_option( 'acme_pro' ) ) { ${register("pro")} }`, { options: { acme_pro: "1" } }],
  [`get_option("acme_on")`, `if ( 'no' === get_option( 'acme_on', 'no' ) ) { return; } ${register("pro")}`, { options: { acme_on: "1" } }],
  [`get_option("acme_shop")`, `if ( 'yes' === get_option( 'acme_shop', 'no' ) ) { ${register("pro")} }`, { options: { acme_shop: "yes" } }],
  [
    `get_option("acme_mode")`,
    `if ( 'simple' !== get_option( 'acme_mode', 'simple' ) && 'expert' === get_option( 'acme_mode' ) ) { ${register("pro")} }`,
    { options: { acme_mode: "expert" } },
  ],
  [
    `get_option("users_can_register")`,
    `$value = get_option( 'users_can_register' ) ? 'in' : 'out'; ${register("pro", VALUE)}`,
    { options: { users_can_register: "1" } },
  ],
  [`get_option("blogname")`, `$value = 'Posts of ' . get_option( 'blogname' ) . '.'; ${register("pro", VALUE)}`, { options: { blogname: "Bakery" } }],
  [
    `get_option("home")`,
    `$value = 'See ' . home_url( '/a' ) . ', ' . admin_url() . ' and ' . plugins_url( 'b', __FILE__ ) . '.'; ${register("pro", VALUE)}`,
    { options: { home: "https://shop.example", siteurl: "https://shop.example" } },
  ],
  [`get_option("posts_per_page")`, `$value = (int) get_option( 'posts_per_page' ); ${register("pro", VALUE)}`, { options: { posts_per_page: 25 } }],
  [`get_option("acme_most")`, `$value = get_option( 'acme_most', 5 ); ${register("pro", VALUE)}`, { options: { acme_most: "40" } }],
  [
    `get_option("acme_level")`,
    `$value = get_option( 'acme_level' ) === 'gold' ? 'high' : 'low'; ${register("pro", VALUE)}`,
    { options: { acme_level: "gold" } },
  ],
  [
    `get_option("acme_enum")`,
    register("pro", "'input_schema' => array( 'enum' => get_option( 'acme_enum' ) === 'gold' ? array( 'a', 'b' ) : array( 'a' ) )"),
    { options: { acme_enum: "gold" } },
  ],
  [`is_multisite()`, `if ( is_multisite() ) { ${register("pro")} }`, { constants: { MULTISITE: true } }],
  [`defined("ACME_PRO")`, `if ( defined( 'ACME_PRO' ) && ACME_PRO ) { ${register("pro")} }`, { constants: { ACME_PRO: true } }],
  [
    `get_option("active_plugins")`,
    `if ( in_array( 'shop/shop.php', (array) get_option( 'active_plugins', array() ), true ) ) { ${register("pro")} }`,
    { options: { active_plugins: ["shop/shop.php"] } },
  ],
  [
    `defined("SHOP_VERSION")`,
    `if ( defined( 'SHOP_VERSION' ) && version_compare( SHOP_VERSION, '2.0', '>=' ) ) { ${register("pro")} }`,
    { constants: { SHOP_VERSION: "3.1" } },
  ],
  [`class_exists("Shop")`, `if ( class_exists( 'Shop' ) ) { ${register("pro")} }`, { bootstrap: "shop.php" }],
  [`function_exists("shop")`, `if ( \\function_exists( 'shop' ) ) { ${register("pro")} }`, { bootstrap: "shop.php" }],
  [`class_exists("Shop\\Order")`, `if ( ! class_exists( '\\\\Shop\\\\Order' ) ) { return; } ${register("pro")}`, { bootstrap: "shop.php" }],
  [`current_user_can("edit_posts")`, `if ( current_user_can( 'edit_posts' ) ) { ${register("pro")} }`, { bootstrap: "editor.php" }],
  [
    `get_option("acme_settings")`,
    `$all = wp_parse_args( get_option( 'acme_settings', array() ), array( 'most' => 10, 'list' => array( 'get' ) ) ); $value = $all['most']; ${register("pro", VALUE)}`,
    { options: { acme_settings: { most: 50 } } },
  ],
  [
    `get_option("acme_flags")`,
    `$flags = get_option( 'acme_flags' );\nif ( ! empty( $flags['beta'] ) ) { ${register("pro")} }`,
    { options: { acme_flags: { alpha: false, beta: true } } },
  ],
  [
    `get_option("acme_list")`,
    `if ( in_array( 'pro', (array) get_option( 'acme_list', array( 'free' ) ), true ) ) { ${register("pro")} }`,
    { options: { acme_list: ["free", "pro"] } },
  ],
  [
    `get_option("acme_nested")`,
    `$all = get_option( 'acme_nested', array() );\nif ( $all['tools']['write'] ?? false ) { ${register("pro")} }`,
    { options: { acme_nested: { tools: { write: "1" } } } },
  ],
  [`get_option("acme_write")`, `if ( get_option( 'acme_write', true ) ) { ${register("pro")} }`, { options: { acme_write: "0" } }],
  [`get_option("acme_off")`, `if ( get_option( 'acme_off', true ) && 'a' !== 'b' && 'c' !== 'd' ) { ${register("pro")} }`, { options: { acme_off: "" } }],
  [
    `get_option("theme_mods_twentytwentyfive")`,
    `$value = get_theme_mod( 'acme_layout', 'wide' ); ${register("pro", VALUE)}`,
    { options: { theme_mods_twentytwentyfive: { acme_layout: "narrow" } } },
  ],
  [`wp_get_environment_type()`, `$value = wp_get_environment_type(); ${register("pro", VALUE)}`, { constants: { WP_ENVIRONMENT_TYPE: "staging" } }],
  [`WP_DEBUG`, `if ( WP_DEBUG ) { ${register("pro")} }`, { constants: { WP_DEBUG: true } }],
  [`wp_get_theme()`, `if ( wp_is_block_theme() && current_theme_supports( 'post-thumbnails' ) ) { ${register("pro")} }`, { theme: "shop-theme" }],
  [`is_user_logged_in()`, `if ( 0 < get_current_user_id() ) { ${register("pro")} }`, { bootstrap: "editor.php" }],
  [`is_user_logged_in()`, `if ( is_user_logged_in() ) { ${register("pro")} }`, { bootstrap: "editor.php" }],
]; // prettier-ignore

/** What the settings of these sites name. */
const FILES = {
  "shop.php": "<?php namespace Shop { class Order {} } namespace { class Shop {} function shop() {} }",
  "editor.php": "<?php add_filter( 'determine_current_user', fn() => 1 );",
  "fields.php": "<?php class Shop { function fields() { return array( 'x' ); } }",
  "shop-theme/style.css": "/* Theme Name: Shop */",
  "shop-theme/templates/index.html": "",
  "shop-theme/functions.php": "<?php add_theme_support( 'post-thumbnails' );",
};
await plugins.put(FILES);

describe.skipIf(!hasPhp)(`what depends on the site${WITH_PHP}`, () => {
  it.each(sample(SITES, 2))("is as locked if %s has another answer", async (question, php, site) => {
    const path = await write(`${register("always")}\n${php}`);
    const locked = await lockOf(path, site);
    const reading = await readLocked(path, locked);
    expect(reading.abilities.map(({ ability }) => ability)).toEqual(
      locked.map(({ definition }) => definition),
    );
    expect(reading.notes).toEqual([expect.stringContaining(`as locked if ${question} is `)]);
    expect(reading.undecided.size).toBe(0);
  });

  it.each([
    ["two options", `if ( get_option( 'acme_a' ) && get_option( 'acme_b' ) ) { ${register("pro")} }`, { options: { acme_a: "1", acme_b: "1" } }],
    ["an option in a range", `if ( get_option( 'acme_a' ) >= 5 && get_option( 'acme_a' ) <= 7 ) { ${register("pro")} }`, { options: { acme_a: "6" } }],
    [
      "three options",
      `if ( get_option( 'acme_a' ) ) { if ( 'yes' === get_option( 'acme_b' ) && get_option( 'acme_c' ) ) { ${register("pro")} } }`,
      { options: { acme_a: "1", acme_b: "yes", acme_c: "1" } },
    ],
    [
      "an option behind a constant",
      `if ( defined( 'ACME_PRO' ) && ACME_PRO && get_option( 'acme_b' ) ) { ${register("pro")} }`,
      { constants: { ACME_PRO: true }, options: { acme_b: "1" } },
    ],
    [
      "an option whose value is used, behind another",
      `if ( get_option( 'acme_a' ) ) { $value = get_option( 'acme_most', 5 ); ${register("pro", VALUE)} }`,
      { options: { acme_a: "1", acme_most: "40" } },
    ],
    [
      "an option, with a value that other questions decide too",
      `if ( get_option( 'acme_a' ) ) { ${register("two")} ${register("three")} $value = get_option( 'acme_most', 5 ) . ' of ' . count( get_post_types() ); ${register("pro", VALUE)} }`,
      { options: { acme_a: "1", acme_most: "40" } },
    ],
  ] satisfies readonly (readonly [string, string, PhpConfig])[])(
    "is as locked behind %s",
    async (_what, php, site) => {
      // What no option opens stays as in a new site.
      const other = `if ( ! get_option( 'acme_other' ) ) { ${register("other")} }`;
      const path = await write(`${register("always")}\n${php}\n${other}`);
      const locked = await lockOf(path, site);
      const reading = await readLocked(path, locked);
      expect(reading.abilities.map(({ ability }) => ability)).toEqual(
        locked.map(({ definition }) => definition),
      );
      expect(reading.undecided.size).toBe(0);
    },
  ); // prettier-ignore

  it.each<readonly [what: string, php: string, site: PhpConfig]>([
    ["an option", `if ( get_option( 'acme_pro' ) ) { ${register("pro")} }`, { options: { acme_pro: "1" } }],
    ["an option of a network", `if ( get_site_option( 'acme_pro' ) ) { ${register("pro")} }`, { options: { acme_pro: "1" } }],
    ["a user", `if ( wp_get_current_user()->has_cap( 'edit_posts' ) ) { ${register("pro")} }`, { bootstrap: "editor.php" }],
  ])(
    "is as locked if %s registers it, and a list without files has it",
    async (_what, php, site) => {
      const path = await write(php);
      const locked = (await lockOf(path, site)).map(({ definition }) => ({ definition }));
      // What is missing may belong to another plugin.
      const differing = (): ReadonlySet<string> => new Set();
      const { abilities, undecided, notes } = await readPhp(
        "acme",
        { paths: [path] },
        { dir: plugins.dir, lookup, locked, differing },
      );
      expect(abilities.map(({ ability }) => ability.name)).toEqual(["acme/pro"]);
      expect([undecided.size, notes.length]).toEqual([0, 1]);
    },
  ); // prettier-ignore

  it("is a note without a lock", async () => {
    const path = await write(
      `$value = get_option( 'blogname' );\n${register("pro", VALUE)}\n${register("always")}`,
    );
    expect((await readLocked(path, undefined)).notes).toEqual([
      `"acme/pro" is that of a new site: it depends on get_option("blogname") (${path}/acme.php:4)`,
    ]);
    const inComment = "/* WP_DEBUG decides.\n */ // is_multisite() does not.\n";
    const several = await write(
      `${inComment}$value = is_multisite() ? 'b' : WP_DEBUG;\n${register("pro", VALUE)}\n${register("two", VALUE)}`,
    );
    expect((await readLocked(several, undefined, { constants: { WP_DEBUG: false } })).notes).toEqual([
      `2 abilities are those of a new site, since they depend on is_multisite() (${several}/acme.php:6): "acme/pro", "acme/two"`,
    ]);
  });

  it("is one set of answers for all abilities", async () => {
    const path = await write(`if ( get_option( 'acme' ) ) { ${register("on")} } else { ${register("off")} }`);
    const [on, off] = [await lockOf(path, { options: { acme: "1" } }), await lockOf(path, {})];
    expect((await readLocked(path, on)).notes).toEqual(['as locked if get_option("acme") is "1"']);
    const both = await readLocked(path, [...on, ...off]);
    expect(both.abilities).toHaveLength(1);
    expect([...both.undecided.keys()]).toEqual(["acme/on"]);
  });

  it("needs several answers at once", async () => {
    const path = await write(
      `if ( get_option( 'a' ) && defined( 'B' ) && class_exists( 'C' ) && function_exists( 'curl_init' ) ) { ${register("pro")} }`,
    );
    const locked = await lockOf(path, {
      options: { a: "1" },
      constants: { B: true },
      bootstrap: "c.php",
    }).catch(() => undefined);
    expect(locked).toBeUndefined();
    const { notes, undecided } = await readLocked(path, await lockOfPro(path));
    expect([notes, undecided.size]).toEqual([
      [
        'as locked if get_option("a") is "1" and defined("B") is true and class_exists("C") is true and function_exists("curl_init") is true',
      ],
      0,
    ]);
  });

  it("names only the answers that matter", async () => {
    const asks =
      "get_option( 'a' ); defined( 'B' ); __( 'Get', 'acme' ); get_option( 'e' ); class_exists( 'F' );";
    const path = await write(
      `${asks} $c = get_option( 'c' ); $d = get_option( 'd' ); if ( $c && $d ) { ${register("pro")} }`,
    );
    const locked = await lockOf(path, { options: { c: "1", d: "1" } });
    const { notes } = await readLocked(path, locked);
    expect(notes).toEqual(['as locked if get_option("c") is "1" and get_option("d") is "1"']);
  });

  it.each([
    ["microtime() . wp_rand()", ""],
    ["microtime() . wp_rand()", "if ( get_option( 'pro' ) ) { return; }"],
    ["WP_CONTENT_DIR . '/debug.log'", ""],
  ])("is not said of what changes in each run: %s %s", async (expression, asks) => {
    const changing = `'input_schema' => array( 'enum' => array( ${expression} ) )`;
    const path = await write(`${register("one", changing)} ${asks} ${register("two")}`);
    const { undecided, notes } = await readLocked(path, await lockOf(path, {}));
    expect([[...undecided], notes]).toEqual([
      [["acme/one", "The PHP defines it differently in each run"]],
      [],
    ]);
    expect((await readLocked(path, undefined)).notes[0]).toBe(
      'The PHP defines "acme/one" differently in each run',
    );
  });

  it("is not said of a change that no answer explains", async () => {
    const asks =
      "get_option( 'acme' ); class_exists( 'Shop' ); is_multisite(); apply_filters( 'acme', 1 ); did_action( 'acme' ); get_locale();";
    const path = await write(
      `${asks} ${register("one", "'input_schema' => array( 'enum' => array( 'new' ) )")}`,
    );
    const locked = await lockWith("old", path);
    const { notes, undecided, abilities } = await readLocked(path, locked);
    expect([notes, undecided.size]).toEqual([[], 0]);
    expect(abilities[0]?.ability).toMatchObject({ input_schema: { enum: ["new"] } });
  });

  it("is not said of a change if an answer only removes the ability", async () => {
    const path = await write(`if ( get_option( 'acme', true ) ) { ${register("one")} }`);
    const locked = await lockWith("old", path);
    expect((await readLocked(path, locked)).undecided.size).toBe(0);
  });

  it("names the answer that also gives another ability as locked", async () => {
    const path = await write(
      `if ( class_exists( 'Shop' ) ) {\n$value = ( new Shop() )->fields();\n${register("one", "'input_schema' => array( 'enum' => (array) $value )")}\n${register("two")} }`,
    );
    const { undecided } = await readLocked(path, await lockOf(path, { bootstrap: "fields.php" }));
    expect([...undecided]).toEqual([
      ["acme/one", `It depends on the site: class_exists("Shop") (${path}/acme.php:4)`],
    ]);
  });

  it("names the answer that decides, if none gives what is locked", async () => {
    const path = await write(`$value = get_option( 'acme' ) ? 'a' : 'b';\n${register("one", VALUE)}`);
    const locked = await lockWith("c", path);
    const { undecided } = await readLocked(path, locked);
    expect([...undecided]).toEqual([
      ["acme/one", `It depends on the site: get_option("acme") (${path}/acme.php:4)`],
    ]);
  });

  /** Parts that another site has otherwise, beside a change of another part, and the site that was locked. */
  const MODES = "'mode' => array( 'enum' => get_option( 'acme_modes', array( 'fast' ) ) )";
  const SHOP = "get_option( 'acme_shop' ) ? array( 'sku' => array( 'type' => 'string' ) ) : array()";
  const having = (properties: string): string =>
    register("one", `'input_schema' => array( 'type' => 'object', 'properties' => ${properties} )`);
  it.each<readonly [what: string, before: string, after: string, site: PhpConfig, note: string]>([
    ["beside a list of an option", having(`array( ${MODES}, 'a' => array() )`), having(`array( ${MODES}, 'b' => array() )`), {}, ""],
    ["around a list of an option", having(`array( ${MODES} )`), having(`array( 'x' => array(), ${MODES} )`), {}, ""],
    ["of the name of a property with a list of an option", having(`array( ${MODES} )`), having(`array( ${MODES.replace("mode", "kind")} )`), {}, ""],
    ["of a property beside some that an option adds", having(`array( 'a' => array() ) + ( ${SHOP} )`), having(`array( 'a' => array( 'type' => 'string' ) ) + ( ${SHOP} )`), {}, ""],
    [
      "of a property beside some that an option has added",
      having(`array( 'a' => array() ) + ( ${SHOP} )`),
      having(`array( 'a' => array( 'type' => 'string' ) ) + ( ${SHOP} )`),
      { options: { acme_shop: "1" } },
      'compared as if get_option("acme_shop") is "1"',
    ],
    [
      "of an ability that an option adds",
      `if ( get_option( 'acme_pro' ) ) { ${having("array( 'a' => array() )")} }`,
      `if ( get_option( 'acme_pro' ) ) { ${having("array( 'b' => array() )")} }`,
      { options: { acme_pro: "1" } },
      'compared as if get_option("acme_pro") is "1"',
    ],
  ])("does not hide a change %s", async (_what, before, after, site, note) => {
    const path = await write(after);
    const locked = (await lockOf(await write(before), site)).map((each) => ({ ...each, file: `${path}/acme.php` }));
    const { undecided, abilities, notes } = await readLocked(path, locked);
    expect([[...undecided], notes]).toEqual([[], note === "" ? [] : [note]]);
    expect(abilities.map(({ ability }) => ability)).toEqual((await lockOf(path, site)).map(({ definition }) => definition));
  }); // prettier-ignore

  it("is not known of a change where an answer decides", async () => {
    const path = await write(having(`array( 'b' => array() ) + ( ${SHOP} )`));
    const locked = await lockOf(await write(having("array( 'a' => array() )")), {});
    expect([...(await readLocked(path, locked)).undecided.keys()]).toEqual(["acme/one"]);
  });

  it.each<readonly [what: string, php: string, reason: string]>([
    [
      "a loop over contents registers it",
      `foreach ( get_posts() as $post ) { ${register("pro")} }`,
      "It depends on the contents of the database, which PLUGIN:4 asks for",
    ],
    [
      "a plugin that is missing here registers it",
      `if ( class_exists( 'Shop' ) ) { shop_start(); ${register("pro")} }`,
      'The PHP names it (PLUGIN:4) and does not register it here, perhaps because of class_exists("Shop") (PLUGIN:4)',
    ],
    ["the plugin catches an error", `try { shop_start(); ${register("pro")} } catch ( Throwable $error ) {}`, "The PHP names it (PLUGIN:4) and does not register it here"],
  ])("does not remove an ability if %s", async (_, php, reason) => {
    const path = await write(php);
    const { undecided } = await readLocked(path, await lockOfPro(path));
    expect([...undecided]).toEqual([["acme/pro", reason.replaceAll("PLUGIN", `${path}/acme.php`)]]);
  }); // prettier-ignore

  it("is not said of an ability that the PHP no longer names, or that WordPress refuses", async () => {
    for (const php of ["get_option( 'acme' );", register("pro").replace("'site'", "'none'")]) {
      const path = await write(php);
      expect((await readLocked(path, await lockOfPro(path))).undecided.size).toBe(0);
    }
  });

  it("is not said of an ability on a hook that WordPress does not fire, unless the file has others", async () => {
    const old = `get_option( 'acme' ); } ); add_action( 'abilities_api_init', function () { ${register("pro")}`;
    const read = async (php: string): Promise<number> => {
      const path = await write(php);
      return (await readLocked(path, await lockOfPro(path))).undecided.size;
    };
    expect([await read(old), await read(`${register("one")} ${old}`)]).toEqual([0, 1]);
  });

  it("is a new site for an ability that is not locked yet", async () => {
    const path = await write(
      `${register("one")} $value = get_option( 'blogname' ); ${register("two", VALUE)}`,
    );
    const locked = (await lockOf(path, {})).filter(({ definition }) => definition.name === "acme/one");
    const { undecided, abilities } = await readLocked(path, locked);
    expect([undecided.size, abilities.length]).toEqual([0, 2]);
  });

  it("is a note of a query without a lock", async () => {
    const path = await write(`${register("one")}\n$value = count( get_posts() );\n${register("two", VALUE)}`);
    expect((await readLocked(path, undefined)).notes).toEqual([
      `"acme/two" is that of a new site: it may depend on the contents of the database (${path}/acme.php:6)`,
    ]);
  });

  it.each([
    ["a query", "count( get_posts() )", "the contents of the database, which PLUGIN:4 asks for"],
    ["a request", "is_wp_error( wp_remote_get( 'https://api.example.com/v1/tools' ) ) ? 1 : 2", "an answer of api.example.com, which PLUGIN:4 asks for"],
    ["the roles", "count( wp_roles()->roles )", "the site: wp_roles() (PLUGIN:4)"],
    ["the capabilities of a role", "count( get_role( 'editor' )->capabilities )", "the site: wp_roles() (PLUGIN:4)"],
    ["post types", "count( get_post_types() )", "the site: get_post_types() (PLUGIN:4)"],
    ["the user's data", "get_user_meta( get_current_user_id(), 'acme', true ) ? 1 : 2", 'the user\'s "acme", which PLUGIN:4 asks for'],
    ["the patterns of the theme", "count( WP_Block_Patterns_Registry::get_instance()->get_all_registered() )", "the site: wp_get_theme() (PLUGIN:4)"],
    ["the templates of the theme", "count( wp_get_theme()->get_page_templates() )", "the site: wp_get_theme() (PLUGIN:4)"],
  ])("names %s", async (_what, expression, what) => {
    const path = await write(`$value = ${expression};\n${register("one", VALUE)}`);
    const locked = await lockWith(7, path);
    expect([...(await readLocked(path, locked)).undecided]).toEqual([
      ["acme/one", `It depends on ${what.replace("PLUGIN", `${path}/acme.php`)}`],
    ]);
  }); // prettier-ignore

  const behind = (option: string): string => `if ( get_option( '${option}' ) ) { ${register("one")} }`;
  const A = { 'get_option("acme_a")': "1" };
  it.each<readonly [what: string, before: string, after: string, answers: JsonObject, elsewhere: string]>([
    ["an option adds it now", register("one"), behind("acme_a"), {}, 'get_option("acme_a") is "1"'],
    ["an environment adds it now", register("one"), `if ( 'production' !== wp_get_environment_type() ) { ${register("one")} }`, {}, 'wp_get_environment_type() is "local"'],
    ["an option is in it now", register("one", "'description' => 'On 1'"), register("one", "'description' => 'On ' . get_option( 'acme_a' )"), {}, 'get_option("acme_a") is "1"'],
    ["another option adds it now", behind("acme_a"), behind("acme_b"), A, 'get_option("acme_b") is "1"'],
    ["the same option adds it", behind("acme_a"), behind("acme_a"), A, ""],
    ["no option adds it now", behind("acme_a"), register("one"), A, ""],
  ])("compares with the site that was locked: %s", async (_what, before, after, answers, elsewhere) => {
    const path = await write(after);
    const locked = (await lockOf(await write(before), { options: { acme_a: "1" } })).map((each) => ({ ...each, file: `${path}/acme.php` }));
    const reading = await readLocked(path, locked, {}, { answers });
    expect([reading.answers, reading.undecided.size]).toEqual([after.includes("acme_a") ? answers : {}, 0]);
    expect(reading.elsewhere?.answers).toBe(elsewhere);
    expect([...(reading.elsewhere?.tools ?? [])]).toEqual(elsewhere === "" ? [] : ["acme-one"]);
    // The list of the site tells more.
    const ofSite = await readLocked(path, locked, {}, { answers, isOtherSite: true });
    expect([ofSite.abilities.length, ofSite.elsewhere?.tools.size]).toEqual([1, 0]);
  }); // prettier-ignore

  it("compares with a new site if the plugin fails in the one that was locked", async () => {
    const path = await write(`${register("one")} if ( class_exists( 'Shop' ) ) { new Shop( Shop::MODE ); }`);
    const reading = await readLocked(
      path,
      await lockOf(path, {}),
      {},
      { answers: { 'class_exists("Shop")': true } },
    );
    expect([reading.answers, reading.failures, reading.abilities.length]).toEqual([{}, [], 1]);
  });

  const COUNT = "'description' => 'Of ' . count( get_posts() )";
  it.each<readonly [what: string, php: string, known: readonly string[]]>([
    ["in a registration", `${register("one")}\n${register("two", COUNT)}\n${register("three")}`, ["acme/one", "acme/three"]],
    ["between two registrations", `${register("one")}\n$n = count( get_posts() );\n${register("two")}\n${register("three")}`, ["acme/one"]],
    ["before all registrations", `$n = count( get_posts() );\n${register("one")}\n${register("two")}\n${register("three")}`, []],
    [
      "in a function below, before a registration",
      `${register("one")}\n$n = ids();\n${register("two")}\n${register("three")}\n} ); function ids() { return count( get_posts() ); } add_action( 'init', function() {`,
      ["acme/one"],
    ],
  ])("is not said of abilities that no query can decide: one %s", async (_what, php, known) => {
    const path = await write(php);
    const locked = (await lockOf(path, {})).map(({ definition, ...rest }) => ({ definition: { ...definition, label: "Other" }, ...rest }));
    const { undecided } = await readLocked(path, locked);
    const names = locked.map(({ definition }) => definition.name);
    expect(names.filter((name) => !undecided.has(name))).toEqual(known);
  }); // prettier-ignore
});
