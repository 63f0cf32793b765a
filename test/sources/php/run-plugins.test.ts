import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { McpCodegenError } from "../../../src/core/errors.js";
import { isJsonObject, type JsonValue } from "../../../src/core/json.js";
import { findPluginFiles } from "../../../src/sources/php/plugin-files.js";
import { runPhpFromPath } from "../../../src/sources/php/php-process.js";
import { runPlugins, type PluginRun } from "../../../src/sources/php/run-plugins.js";
import { hasPhp, WITH_PHP } from "./has-php.js";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "run-plugins-"));
});
afterAll(() => rm(dir, { recursive: true }));

let plugins = 0;

/** Creates a plugin with these files; `main` has the header. */
async function writePlugin(main: string, others: { readonly [file: string]: string } = {}): Promise<string> {
  plugins += 1;
  const name = `plugin-${plugins}`;
  const files = Object.entries({ ...others, "main.php": `<?php\n/* Plugin Name: Test */\n${main}` });
  for (const [file, text] of files) {
    const path = join(dir, name, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  return name;
}

interface Settings {
  readonly bootstrap?: string;
  readonly stubs?: { readonly [name: string]: JsonValue };
}

async function run(paths: readonly string[], settings: Settings = {}): Promise<PluginRun> {
  const files = await findPluginFiles(dir, paths, "servers.test.php");
  const found = await runPlugins(files, {
    run: runPhpFromPath,
    nameOf: (file) => file.replace(`${dir}/`, ""),
    ...settings,
  });
  if (found === undefined) throw new Error("There is no PHP.");
  return found;
}

async function runOne(
  main: string,
  others: { readonly [file: string]: string } = {},
  settings: Settings = {},
): Promise<PluginRun> {
  return run([await writePlugin(main, others)], settings);
}

const CATEGORY = `add_action( 'wp_abilities_api_categories_init', function () {
  wp_register_ability_category( 'test', array( 'label' => 'Test', 'description' => 'Test' ) );
} );
`;

/** Returns PHP that registers an ability with this input schema. */
function register(schema: string, name = "test/ability", more = ""): string {
  return `wp_register_ability( '${name}', array( 'label' => 'L', 'description' => 'D', 'category' => 'test',
    'input_schema' => ${schema}, 'execute_callback' => '__return_true', 'permission_callback' => '__return_true', ${more} ) );`;
}

function onInit(php: string): string {
  return `${CATEGORY}add_action( 'wp_abilities_api_init', function () { ${php} } );\n`;
}

function definitions({ answer }: PluginRun): readonly JsonValue[] {
  return answer.abilities.map(({ json }) => JSON.parse(json) as JsonValue);
}

async function failureOf(work: Promise<unknown>): Promise<McpCodegenError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof McpCodegenError) return error;
    throw error;
  }
  throw new Error("It did not fail.");
}

describe.skipIf(!hasPhp)(`the stub of WordPress${WITH_PHP}`, () => {
  test("returns an ability like WordPress", async () => {
    const found = await runOne(
      onInit(
        register(
          "array( 'type' => 'object', 'properties' => array() )",
          "a/b",
          "'meta' => array( 'mcp' => array( 'public' => true ) )",
        ),
      ),
    );
    expect(definitions(found)).toEqual([
      {
        name: "a/b",
        label: "L",
        description: "D",
        category: "test",
        input_schema: { type: "object", properties: [] },
        meta: {
          annotations: { readonly: null, destructive: null, idempotent: null },
          mcp: { public: true },
          show_in_rest: false,
          public: false,
        },
      },
    ]);
    expect(found.answer.abilities[0]).toMatchObject({ line: 6, unknown: [] });
    expect(found.answer.abilities[0]?.file).toMatch(/main\.php$/);
  });

  test("selects abilities like WordPress 7.1, and returns those that a filter hides", async () => {
    const found = await runOne(
      `add_filter( 'wp_get_abilities_result', fn( $all ) => array_values( array_filter( $all, fn( $one ) => 'a/hidden' !== $one->get_name() ) ) );
      add_action( 'wp_abilities_api_categories_init', fn() => wp_register_ability_category( 'other', array( 'label' => 'O', 'description' => 'O' ) ) );
      ${onInit(
        [
          register(
            "array()",
            "a/shown",
            "'meta' => array( 'mcp' => array( 'public' => true, 'type' => 'tool' ) )",
          ),
          register("array()", "a/hidden"),
          register("array()", "ab/other"),
          `$names = fn( $args = array() ) => array_map( fn( $one ) => $one->get_name(), wp_get_abilities( $args ) );
          $found = array(
            $names(),
            $names( array( 'namespace' => 'a' ) ),
            $names( array( 'category' => 'other' ) ),
            $names( array( 'meta' => array( 'mcp' => array( 'public' => true ) ) ) ),
            $names( array( 'item_include_callback' => fn( $one ) => 'ab/other' === $one->get_name() ) ),
            $names( array( 'result_callback' => 'array_reverse' ) ),
          );`,
          register("array( 'examples' => $found )", "a/found"),
        ].join("\n"),
      )}`,
    );
    const names = definitions(found).map((one) => (isJsonObject(one) ? one["name"] : one));
    expect(names).toEqual(["a/shown", "a/hidden", "ab/other", "a/found"]);
    expect(definitions(found).at(-1)).toMatchObject({
      input_schema: {
        examples: [
          ["a/shown", "ab/other"],
          ["a/shown"],
          [],
          ["a/shown"],
          ["ab/other"],
          ["ab/other", "a/shown"],
        ],
      },
    });
  });

  test("reads JSON files", async () => {
    const found = await runOne(
      onInit(
        register(`array( 'enum' => wp_json_file_decode( __DIR__ . '/sizes.json', array( 'associative' => true ) )['sizes'],
          'examples' => array( wp_json_file_decode( __DIR__ . '/missing.json' ), wp_json_file_decode( __FILE__ ) ) )`),
      ),
      { "sizes.json": '{"sizes":["s","l"]}' },
    );
    expect(definitions(found)).toMatchObject([
      { input_schema: { enum: ["s", "l"], examples: [null, null] } },
    ]);
    expect(found.answer.abilities[0]?.unknown).toEqual([]);
  });

  test("requires categories before WordPress 7.2, which a bootstrap file can choose", async () => {
    const php = onInit(
      ["", ", 'category' => 'content'", ", 'category' => 'unknown'"]
        .map(
          (category, at) =>
            `wp_register_ability( 'a/b${at}', array( 'label' => get_bloginfo( 'version' ), 'description' => 'D',
            'execute_callback' => '__return_true', 'permission_callback' => '__return_true'${category} ) );`,
        )
        .join("\n"),
    );
    const bootstrap = join(dir, "bootstrap-72.php");
    await writeFile(bootstrap, "<?php $GLOBALS['wp_version'] = '7.2';");
    const [older, newer] = [await runOne(php), await runOne(php, {}, { bootstrap })];
    expect(older.answer.refused.map(({ name, reason }) => [name, reason])).toEqual([
      [
        "a/b0",
        'The ability properties must contain a `category` string. WordPress 7.2 does not require it: set $GLOBALS["wp_version"] to "7.2" in php.bootstrap.',
      ],
      ["a/b1", 'Ability category "content" is not registered.'],
      ["a/b2", 'Ability category "unknown" is not registered.'],
    ]);
    expect(definitions(newer)).toMatchObject([
      { name: "a/b0", label: "7.2", category: "uncategorized" },
      { name: "a/b1", category: "content" },
    ]);
    expect(newer.answer.refused.map(({ name }) => name)).toEqual(["a/b2"]);
  });

  test("publishes schemas like WordPress 7.1", async () => {
    const found = await runOne(
      onInit(
        register(`wp_prepare_json_schema_for_client( array(
          'type' => 'object', 'default' => array(), 'required' => true, 'sanitize_callback' => 'x', '$defs' => array(),
          'properties' => array(
            'a' => array( 'type' => 'string', 'required' => true, 'const' => 'x', 'title' => 'A' ),
            'b' => array( 'items' => array( array( 'const' => 1 ), array( 'minimum' => 1 ) ), 'required' => false ),
            'c' => array( 'anyOf' => array( array( 'type' => 'null', 'examples' => array() ) ), 'not' => array( 'if' => 1 ) ),
            'd' => array( 'properties' => array( 'e' => array( 'required' => true ) ), 'required' => array( 'f' ) ),
          ),
          'dependencies' => array( 'a' => array( 'b' ), 'b' => array( 'const' => 1, 'type' => 'object' ) ),
        ) )`),
      ),
    );
    expect(definitions(found)[0]).toHaveProperty("input_schema", {
      type: "object",
      default: {},
      required: ["a"],
      properties: {
        a: { type: "string", title: "A" },
        b: { items: [[], { minimum: 1 }] },
        c: { anyOf: [{ type: "null" }], not: [] },
        d: { properties: { e: [] }, required: ["f"] },
      },
      dependencies: { a: ["b"], b: { type: "object" } },
    });
  });

  test("fires the hooks of both generations, by priority, with callbacks that are added meanwhile", async () => {
    const found = await runOne(`${CATEGORY}
      add_action( 'abilities_api_init', function () { ${register("array()", "test/old")} } );
      add_action( 'wp_abilities_api_init', function () { ${register("array()", "test/late")} }, 20 );
      add_action( 'wp_abilities_api_init', function () {
        ${register("array()", "test/early")}
        add_action( 'wp_abilities_api_init', function () { ${register("array()", "test/added")} }, 30 );
      }, 5 );
      $removed = function () { ${register("array()", "test/removed")} };
      add_action( 'wp_abilities_api_init', $removed );
      remove_action( 'wp_abilities_api_init', $removed );`);
    expect(definitions(found)).toMatchObject(
      ["test/early", "test/late", "test/added", "test/old"].map((name) => ({ name })),
    );
  });

  test.each([
    ["a name without a namespace", register("array()", "ability"), /^Ability name must be/],
    ["a repeated name", register("array()", "a/b") + register("array()", "a/b"), /already registered/],
    ["an unknown category", register("array()").replace("'test',", "'none',"), /"none" is not registered/],
    ["no description", register("array()").replace("'D'", "''"), /`description` string/],
    ["an invalid callback", register("array()").replace("__return_true", "none"), /`execute_callback`/],
    [
      "a class that is not an ability",
      register("array()", "a/b", "'ability_class' => 'stdClass'"),
      /extends WP_Ability/,
    ],
  ])("rejects %s like WordPress", async (_what, php, reason) => {
    const { answer } = await runOne(onInit(php));
    expect(answer.refused).toHaveLength(1);
    const [refusal] = answer.refused;
    expect(refusal?.reason).toMatch(reason);
    expect(refusal).toMatchObject({ kind: "ability" });
    expect(refusal?.file).toMatch(/main\.php$/);
    expect(refusal?.line).toBeGreaterThan(5);
  });

  test("rejects registrations at another time", async () => {
    const { answer } = await runOne(
      `${CATEGORY}add_action( 'init', function () { ${register("array()")} } );`,
    );
    expect(answer.abilities).toEqual([]);
    expect(answer.refused).toMatchObject([
      { reason: "Abilities must be registered on the wp_abilities_api_init action." },
    ]);
  });

  test("uses a custom ability class, and applies filters", async () => {
    const found = await runOne(
      onInit(register("array()", "test/own", "'ability_class' => 'Own'")) +
        `class Own extends WP_Ability { public function get_output_schema(): array { return array( 'type' => 'string' ); } }
        add_filter( 'wp_register_ability_args', function ( $args, $name ) { $args['label'] = $name; return $args; }, 10, 2 );`,
    );
    expect(definitions(found)).toMatchObject([{ label: "test/own", output_schema: { type: "string" } }]);
  });

  test("accepts output of plugins, closures in schemas and text that is not UTF-8", async () => {
    const found = await runOne(
      `echo '{"abilities":[]}'; ob_end_clean(); echo 'noise'; fwrite( STDERR, 'noise' );` +
        onInit(register("array( 'type' => 'object', 'x' => function () {}, 'y' => \"\\xff\" )")),
    );
    expect(definitions(found)).toMatchObject([{ input_schema: { type: "object", x: {}, y: "\ufffd" } }]);
    expect(found.answer.outputs).toMatchObject([{ line: 3, during: "loading", text: '{"abilities":[]}' }]);
  });

  test("loads vendor/autoload.php", async () => {
    const found = await runOne(onInit(`Lib::register();`), {
      "vendor/autoload.php": `<?php spl_autoload_register( function ( $c ) { require __DIR__ . "/$c.php"; } );`,
      "vendor/Lib.php": `<?php class Lib { static function register() { ${register("array()", "test/lib")} } }`,
    });
    expect(definitions(found)).toMatchObject([{ name: "test/lib" }]);
  });
});

describe.skipIf(!hasPhp)(`text that a plugin prints${WITH_PHP}`, () => {
  const HOOK = 'in the hook "wp_abilities_api_init"';
  test.each<readonly [string, string, readonly object[]]>([
    ["in a hook", onInit("echo 'Hi';"), [{ line: 6, during: HOOK, text: "Hi" }]],
    ["with printf, twice", onInit("printf( 'a' ); printf( 'b' );"), [{ line: 6, text: "a" }]],
    ["while it loads", "print 'Hi';", [{ line: 3, during: "loading", text: "Hi" }]],
    [
      "in its own buffer, and sends it",
      onInit("ob_start(); echo 'Hi'; ob_end_flush();"),
      [{ during: HOOK, text: "Hi" }],
    ],
    [
      "in init",
      "add_action( 'init', function () { var_dump( 1 ); } );",
      [{ during: 'in the hook "init"', text: "int(1)" }],
    ],
    ["after its code", "?>\nHi\n", [{ during: "loading", text: "Hi" }]],
    ["as a byte order mark", "?>\n\ufeff", [{ text: "\ufeff" }]],
    ["in its own buffer, and keeps it", onInit("ob_start(); echo 'Hi'; ob_get_clean();"), []],
    ["as white space", "?>\n\n  \n", []],
    ["in a hook of a page", "add_action( 'wp_footer', function () { echo 'Hi'; } );", []],
  ])("is reported: %s", async (_what, php, expected) => {
    const { answer } = await runOne(php);
    expect(answer.outputs).toHaveLength(expected.length);
    expect(answer.outputs).toMatchObject(expected);
  });
});

describe.skipIf(!hasPhp)(`an autoloader${WITH_PHP}`, () => {
  const loader = (method: string, callback: string): string => `class Loader {
    ${method.includes("static") ? "static function start" : "function __construct"}() { spl_autoload_register( ${callback} ); }
    ${method} load( $class ) { $file = __DIR__ . "/$class.php"; if ( is_file( $file ) ) { require $file; } }
  }
  ${method.includes("static") ? "Loader::start();" : "new Loader();"}
  `;
  const CALLBACKS: readonly (readonly [string, string])[] = [
    ["private static function", "array( self::class, 'load' )"],
    ["protected static function", "self::class . '::load'"],
    ["private function", "array( $this, 'load' )"],
    ["protected function", "array( $this, 'load' )"],
    ["public static function", "array( 'Loader', 'load' )"],
    ["private static function", "static function ( $class ) { self::load( $class ); }"],
    ["private static function", "Closure::fromCallable( array( self::class, 'load' ) )"],
  ];

  test.each(CALLBACKS)("may be a %s, registered with %s", async (method, callback) => {
    const found = await runOne(loader(method, callback) + onInit("Acme::register();"), {
      "Acme.php": `<?php class Acme { static function register() { ${register("array()", "acme/one")} } }`,
    });
    expect(definitions(found)).toMatchObject([{ name: "acme/one" }]);
    expect(found.answer.madeUp).toEqual([]);
  });
});

describe.skipIf(!hasPhp)(`an undefined name${WITH_PHP}`, () => {
  test("is made up when it is used, but not when code only checks for it", async () => {
    const found = await runOne(
      `namespace Test;
      if ( function_exists( 'shop_get' ) || class_exists( '\\Shop' ) || defined( 'SHOP' ) ) { exit; }
      class Thing extends \\Shop\\Thing implements \\Shop\\Face { use \\Shop\\Part; }
      interface Face extends \\Shop\\Other {}
      shop_log( SHOP_LEVEL, \\Shop\\Thing::LEVEL, Thing::OWN );
      \\Shop\\Api::instance()->things['x']->run();
      foreach ( shop_things() as $thing ) { $thing->run(); }` +
        onInit(register("array( 'type' => 'object' )")),
    );
    expect(definitions(found)).toMatchObject([{ name: "test/ability" }]);
    expect(found.answer.abilities[0]?.unknown).toEqual([]);
    expect(found.answer.madeUp).toEqual(
      expect.arrayContaining(["Shop\\Thing", "Shop\\Face", "Shop\\Part", "Shop\\Other", "Shop\\Api"]),
    );
    expect(found.missing.names).toEqual(expect.arrayContaining(["Test\\shop_log", "Test\\shop_things"]));
  });

  test("is reported for abilities that depend on it", async () => {
    const found = await runOne(
      onInit(
        register("array( 'type' => 'object', 'title' => 'About ' . shop_name() )", "test/text") +
          register("array( 'enum' => array( SHOP_LEVEL ) )", "test/constant") +
          register("array( 'enum' => array_keys( shop_states() ) )", "test/list") +
          register("array( 'maximum' => shop_limit() + 1 )", "test/number"),
      ) + onInit(register("array()", "test/known")),
    );
    const unknown = found.answer.abilities.map(({ json, unknown: names }) => [
      (JSON.parse(json) as { name: string }).name,
      names,
    ]);
    expect(Object.fromEntries(unknown)).toEqual({
      "test/text": ["shop_name()"],
      "test/constant": ["SHOP_LEVEL"],
      "test/list": ["shop_states()"],
      // Later code may depend on a guess.
      "test/number": ["shop_states()", "shop_limit()"],
      "test/known": [],
    });
  });

  test("has the value that the user sets", async () => {
    const found = await runOne(
      onInit(register("array( 'enum' => array_keys( shop_states() ), 'title' => SHOP_NAME )")),
      {},
      { stubs: { shop_states: { open: "Open", shut: "Shut" }, SHOP_NAME: "Shop" } },
    );
    expect(definitions(found)).toMatchObject([{ input_schema: { enum: ["open", "shut"], title: "Shop" } }]);
    expect(found.answer.abilities[0]?.unknown).toEqual([]);
  });

  test("may come from a bootstrap file", async () => {
    const bootstrap = join(dir, "bootstrap.php");
    await writeFile(
      bootstrap,
      `<?php function shop_states() { return array( 'open' => 1 ); }
      add_filter( 'pre_option_shop_level', function () { return 'high'; } );`,
    );
    const found = await runOne(
      onInit(
        register("array( 'enum' => array_keys( shop_states() ), 'title' => get_option( 'shop_level' ) )"),
      ),
      {},
      { bootstrap },
    );
    expect(definitions(found)).toMatchObject([{ input_schema: { enum: ["open"], title: "high" } }]);
  });
});

describe.skipIf(!hasPhp)(`a plugin that fails${WITH_PHP}`, () => {
  test.each([
    ["does not parse", "if ( { }", /^"plugin-\d+\/inc\.php", line 2, loading: ParseError: /, "Fix the file."],
    [
      "throws",
      "throw new RuntimeException( 'No shop' );",
      /line 2, loading: RuntimeException: No shop\.$/,
      "bootstrap",
    ],
    [
      "ends the process",
      "exit( 1 );",
      /line 2, loading: the plugin ends the process \(exit or die\)\.$/,
      "bootstrap",
    ],
    [
      "cannot be compiled",
      "class A { function a() {} function a() {} }",
      /line 2, loading: Cannot redeclare A::a\(\)/,
      "bootstrap",
    ],
    [
      "takes all memory",
      "$a = 'x'; while ( true ) { $a .= $a; }",
      /line 2, loading: Allowed memory size/,
      "bootstrap",
    ],
    [
      "kills itself",
      "posix_kill( getmypid(), SIGSEGV );",
      /^PHP failed "plugin-\d+\/main\.php", line 1, loading: It was ended by SIGSEGV\.$/,
      "bootstrap",
    ],
  ])("that %s is reported with its file and line", async (_what, php, message, hint) => {
    const failure = await failureOf(runOne("require __DIR__ . '/inc.php';", { "inc.php": `<?php\n${php}` }));
    expect(failure.message).toMatch(message);
    expect(failure.hint).toContain(hint);
    expect([failure.code, failure.exitCode]).toEqual(["PHP_FAILED", 3]);
  });

  test("in a callback is reported with the hook", async () => {
    const failure = await failureOf(runOne(onInit("strlen();")));
    expect(failure.message).toMatch(
      /main\.php", line 6, in the hook "wp_abilities_api_init": ArgumentCountError/,
    );
  });

  test("leaves no files", async () => {
    // A separate folder: other tests run PHP at the same time.
    const own = await mkdtemp(join(tmpdir(), "run-plugins-"));
    vi.stubEnv("TMPDIR", own);
    try {
      await failureOf(runOne("exit;"));
      expect((await readdir(own)).filter((name) => name.startsWith("mcp-codegen-php-"))).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
      await rm(own, { recursive: true, force: true });
    }
  });
});

describe.skipIf(!hasPhp)(`a restricted plugin${WITH_PHP}`, () => {
  test("has no network, no programs, no environment variables, and a separate folder", async () => {
    process.env["RUN_PLUGINS_SECRET"] = "secret";
    const found = await runOne(
      onInit(
        register(`array( 'examples' => array(
          shell_exec( 'id' ), exec( 'id' ), @file_get_contents( 'http://127.0.0.1:9/' ), fsockopen( '127.0.0.1', 9 ),
          stream_socket_client( 'tcp://127.0.0.1:9' ), ini_set( 'memory_limit', '-1' ), set_time_limit( 0 ),
          getenv( 'RUN_PLUGINS_SECRET' ), is_wp_error( wp_remote_get( 'http://127.0.0.1:9/' ) ), strpos( getcwd(), 'mcp-codegen-php-' ) > 0,
        ) )`),
      ),
    );
    expect(definitions(found)).toMatchObject([
      { input_schema: { examples: [false, false, false, false, false, false, false, false, true, true] } },
    ]);
  });
});

describe("findPluginFiles", () => {
  test("returns the files that WordPress loads", async () => {
    const names = async (path: string): Promise<readonly string[]> => {
      const { files } = await findPluginFiles(dir, [path], "servers.test.php");
      return files.map((file) => file.replace(`${dir}/`, ""));
    };
    const write = async (file: string, text: string): Promise<void> => {
      await mkdir(dirname(join(dir, file)), { recursive: true });
      await writeFile(join(dir, file), text);
    };
    await write("content/plugins/index.php", "<?php // Silence is golden.");
    await write("content/plugins/one/one.php", "<?php\n/**\n * Plugin Name: One\n */");
    await write("content/plugins/one/uninstall.php", "<?php");
    await write("content/plugins/two/main.php", "<?php\n# plugin name: Two");
    await write("content/mu-plugins/b.php", "<?php /* Plugin Name: B */");
    await write("content/mu-plugins/a.php", "<?php");
    await write("content/mu-plugins/lib/lib.php", "<?php");
    expect(await names("content/plugins/one")).toEqual(["content/plugins/one/one.php"]);
    expect(await names("content/plugins/one/uninstall.php")).toEqual(["content/plugins/one/uninstall.php"]);
    expect(await names("content/plugins")).toEqual([
      "content/plugins/one/one.php",
      "content/plugins/two/main.php",
    ]);
    expect(await names("content/mu-plugins")).toEqual([
      "content/mu-plugins/a.php",
      "content/mu-plugins/b.php",
    ]);
  });

  test.each([
    ["missing", /"missing" does not exist/],
    ["empty", /"empty" has no plugin/],
  ])("rejects a path that is %s", async (path, message) => {
    await mkdir(join(dir, "empty"), { recursive: true });
    const failure = await failureOf(findPluginFiles(dir, [path], "servers.test.php"));
    expect(failure.message).toMatch(message);
    expect(failure.code).toBe("CONFIG_INVALID");
  });
});
