import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { sample } from "../../sample.js";
import { hasPhp, WITH_PHP } from "./has-php.js";
import { LOCKFILE_NAME, makeProject, type Project } from "../../e2e/make-project.js";

interface Files {
  readonly [file: string]: string;
}

const HEADER = "<?php\n/* Plugin Name: Acme */\n";

/** PHP that registers two abilities, as the body of a function or method. */
const REGISTER = `foreach ( array( 'one', 'two' ) as $name ) {
    wp_register_ability( "acme/$name", array( 'label' => 'L', 'description' => 'D', 'category' => 'site',
      'input_schema' => array( 'type' => 'object' ), 'meta' => array( 'mcp' => array( 'public' => true ) ),
      'execute_callback' => '__return_true', 'permission_callback' => '__return_true' ) );
  }`;
const HOOK = "wp_abilities_api_init";

/** A class of the plugin that registers its abilities. */
const CLASS = `<?php
namespace Acme\\Shop;
class Plugin {
  public static function start(): void { add_action( '${HOOK}', array( self::class, 'register' ) ); }
  public static function register(): void { ${REGISTER} }
}
`;
const PSR4 = `{ "autoload": { "psr-4": { "Acme\\\\Shop\\\\": "src/" } } }`;
const LOAD_PSR4 = `spl_autoload_register( function ( $class ) {
  $file = __DIR__ . '/../src/' . str_replace( 'Acme\\\\Shop\\\\', '', $class ) . '.php';
  if ( is_file( $file ) ) { require $file; }
} );`;
const AUTOLOAD =
  "if ( file_exists( __DIR__ . '/vendor/autoload.php' ) ) { require __DIR__ . '/vendor/autoload.php'; }\n";

/** A plugin as it is on a site, and the files that Composer or a build makes. */
interface Situation {
  readonly files: Files;
  readonly made: Files;
  /** The hint if the made files are missing. */
  readonly hint: RegExp;
}

const COMPOSER = /Run "composer install" in "acme"\./;

/** A plugin whose class Composer loads, started by this PHP. */
const ofClass = (php: string, hint = COMPOSER, more: Files = { "composer.json": PSR4 }): Situation => ({
  files: { "main.php": HEADER + php, "src/Plugin.php": CLASS, ...more },
  made: { "vendor/autoload.php": `<?php ${LOAD_PSR4}` },
  hint,
});
/** A plugin with a file that the autoloader requires. */
const ofFile = (php: string, file: string, text: string, more: Files = {}): Situation => ({
  files: { "main.php": HEADER + php, [file]: `<?php\n${text}`, ...more },
  made: { "vendor/autoload.php": `<?php require_once dirname( __DIR__ ) . '/${file}';` },
  hint: COMPOSER,
});
const ON_HOOK = `add_action( '${HOOK}', function () { ${REGISTER} } );`;
const START = "Acme\\Shop\\Plugin::start();";

const SITUATIONS: Readonly<Record<string, Situation>> = {
  "PSR-4, with a guarded autoloader": ofClass(`${AUTOLOAD}\\${START}`),
  "PSR-4, and the class is checked with class_exists": ofClass(`${AUTOLOAD}if ( class_exists( 'Acme\\Shop\\Plugin' ) ) { \\${START} }`),
  "PSR-4, with an autoloader that only a check finds": ofClass(
    `if ( ! is_readable( __DIR__ . '/vendor/autoload.php' ) ) { return; } require __DIR__ . '/vendor/autoload.php'; ${START}`,
    COMPOSER,
    {},
  ),
  "an autoloader that is required": ofClass(`require __DIR__ . '/vendor/autoload.php'; ${START}`, /Run "composer install"\./, {}),
  "an autoloader that is included silently": ofClass(`@include __DIR__ . '/vendor/autoload.php'; ${START}`, COMPOSER, {}),
  "a class map that does not have a class": {
    files: {
      "main.php": `${HEADER}${AUTOLOAD}Acme_Plugin::start();`,
      "inc/class-acme-plugin.php": CLASS.replace("namespace Acme\\Shop;\nclass Plugin", "class Acme_Plugin"),
      "vendor/autoload.php": `<?php spl_autoload_register( function ( $class ) {
        $map = is_file( __DIR__ . '/map.php' ) ? require __DIR__ . '/map.php' : array();
        if ( isset( $map[ $class ] ) ) { require $map[ $class ]; }
      } );`,
      "composer.json": `{ "autoload": { "classmap": ["inc/"] } }`,
    },
    made: { "vendor/map.php": `<?php return array( 'Acme_Plugin' => dirname( __DIR__ ) . '/inc/class-acme-plugin.php' );` },
    hint: COMPOSER,
  },
  "a file of functions": ofFile(
    `${AUTOLOAD}add_action( 'init', function () { acme_start(); } );`,
    "inc/functions.php",
    `function acme_start() { ${ON_HOOK} }`,
    { "composer.json": `{ "autoload": { "files": ["inc/functions.php"] } }` },
  ),
  "a function of a namespace": ofFile(
    `namespace Acme\\Shop;\n${AUTOLOAD}start();`,
    "inc/functions.php",
    `namespace Acme\\Shop;\nfunction start() { ${ON_HOOK} }`,
  ),
  "a constant that another file defines": ofFile(
    `${AUTOLOAD}if ( ACME_HAS_ABILITIES ) { add_action( '${HOOK}', function () { if ( 'x' !== ACME_HAS_ABILITIES ) { return; } ${REGISTER} } ); }`,
    "inc/constants.php",
    "define( 'ACME_HAS_ABILITIES', 'x' );",
  ),
  "a trait, a parent class, an interface and an enum": ofClass(
    `${AUTOLOAD}
        class Acme_Plugin extends Acme\\Shop\\Base implements Acme\\Shop\\Face { use Acme\\Shop\\Part; }
        $plugin = new Acme_Plugin(); if ( $plugin->part() && Acme\\Shop\\Kind::A === $plugin->kind() ) { $plugin->start(); }`,
    COMPOSER,
    {
      "src/Plugin.php": "<?php",
      "src/Base.php": `<?php\nnamespace Acme\\Shop;\nclass Base { function start() { ${ON_HOOK} } }`,
      "src/Face.php": "<?php\nnamespace Acme\\Shop;\ninterface Face {}",
      "src/Part.php": "<?php\nnamespace Acme\\Shop;\ntrait Part { function part() { return true; } function kind() { return Kind::A; } }",
      "src/Kind.php": "<?php\nnamespace Acme\\Shop;\nfinal class Kind { const A = 'a'; }",
      "composer.json": PSR4,
    },
  ),
  "a dependency that registers the abilities": {
    files: {
      "main.php": `${HEADER}${AUTOLOAD}if ( class_exists( 'Vendor\\Kit' ) ) { Vendor\\Kit::start(); }\n// Registers on ${HOOK}.`,
      "composer.json": `{ "require": { "vendor/kit": "^1" } }`,
    },
    made: {
      "vendor/autoload.php": "<?php require_once __DIR__ . '/vendor/kit/Kit.php';",
      "vendor/vendor/kit/Kit.php": CLASS.replace("Acme\\Shop", "Vendor").replace("Plugin", "Kit"),
    },
    hint: COMPOSER,
  },
  "a file of a build": {
    files: {
      "main.php": `${HEADER}if ( is_file( __DIR__ . '/build/list.php' ) ) { require __DIR__ . '/build/list.php'; } acme_start();`,
      "inc/abilities.php": `<?php function acme_start() { ${ON_HOOK} }`,
    },
    made: { "build/list.php": "<?php require_once dirname( __DIR__ ) . '/inc/abilities.php';" },
    hint: /Load "acme\/inc\/abilities\.php", which defines it\./,
  },
}; // prettier-ignore

async function writeFiles(project: Project, files: Files): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(project.dir, "acme", file)), { recursive: true });
    await project.write(`acme/${file}`, text);
  }
}

async function makePlugin(files: Files): Promise<Project> {
  const url = "http://127.0.0.1:9/wp-json/mcp/mcp-adapter-default-server";
  const project = await makeProject({ servers: { shop: { url, php: { paths: ["acme"] } } } });
  await writeFiles(project, files);
  return project;
}

async function toolsIn(project: Project): Promise<readonly string[]> {
  const lock = JSON.parse(await project.read(LOCKFILE_NAME)) as {
    readonly servers: { readonly shop?: { readonly tools: object } };
  };
  return Object.keys(lock.servers.shop?.tools ?? {});
}

describe.skipIf(!hasPhp)(`code that is missing${WITH_PHP}`, () => {
  test.each(sample(Object.entries(SITUATIONS), 2))(
    "%s: it is not verified, and no tool is removed",
    async (name, { files, made, hint }) => {
      const project = await makePlugin(files);
      // Without a lock, and without a reason to expect more abilities, there are none.
      if (!name.startsWith("a dependency")) {
        const pulled = await project.run(["pull", "--php"]);
        expect([pulled.exitCode, pulled.stdout + pulled.stderr]).toEqual([3, expect.stringMatching(hint)]);
        // A plugin that fails leaves no lock.
        expect((await project.run(["check", "--php"])).exitCode).toBeGreaterThan(1);
      }

      await writeFiles(project, made);
      await project.prints(["pull", "--php"], 0);
      expect(await toolsIn(project)).toEqual(["acme-one", "acme-two"]);
      await project.prints(["check", "--php"], 0);

      for (const file of Object.keys(made)) await rm(join(project.dir, "acme", file));
      const { stdout } = await project.prints(["check", "--php"], 3, hint);
      expect(stdout).not.toContain("tool-removed");
      const before = await project.read(LOCKFILE_NAME);
      await project.prints(["pull", "--php"], 3);
      expect(await project.read(LOCKFILE_NAME)).toBe(before);
    },
  );
});
