import { cp, rename, rm, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parseLockfile } from "../../src/core/lockfile-text.js";
import { hasPhp, WITH_PHP } from "../sources/php/has-php.js";
import { makeSite, type SiteTrouble } from "../wordpress/make-site.js";
import { REAL_WORDPRESS } from "../wordpress/real/real-site.js";
import { LOCKFILE_NAME, makeProject, type Project } from "./make-project.js";
import { runProgram } from "./run-built.js";

const SHOP = "site/wp-content/plugins/acme-shop";
const isReal = REAL_WORDPRESS !== undefined;
const ORDERS = `${SHOP}/src/Orders.php`;

/** Why a WordPress does not load, with the message. */
const REAL_TROUBLES: readonly (readonly [SiteTrouble, RegExp])[] = [
  ["database", /The WordPress at "site" cannot reach its database\./],
  ["empty-database", /The WordPress at "site" is not installed: its database has no tables\./],
  ["long", /The WordPress at "site" printed more than 32 MB\./],
];
/** Not in a real WordPress of this version. */
const OLD = ["old", /The WordPress at "site" has no Abilities API\.[^]*WordPress 6\.9/] as const;

/** A project next to a WordPress. */
async function projectWith(php: object, trouble: SiteTrouble = "none"): Promise<Project> {
  const project = await makeProject({ servers: { shop: { php } } });
  await makeSite(join(project.dir, "site"), trouble);
  return project;
}

async function lock(project: Project): Promise<ReturnType<typeof parseLockfile>> {
  const { exitCode, stderr } = await project.run("pull");
  if (exitCode !== 0) throw new Error(stderr);
  return parseLockfile(await project.read(LOCKFILE_NAME));
}

async function edit(project: Project, file: string, from: string, to: string): Promise<void> {
  const text = await project.read(file);
  if (!text.includes(from)) throw new Error(`${file} does not contain ${from}`);
  await project.write(file, text.replaceAll(from, to));
}

describe.skipIf(!hasPhp)(`abilities of a WordPress on disk${WITH_PHP}`, () => {
  test("the lock equals that of the core without a site, and changes are reported with their line of PHP", async () => {
    const project = await projectWith({ wordpress: "site", paths: [SHOP] });
    const real = await lock(project);
    const sees = /^shop: 31 abilities read with php \d+\.\d+\.\d+ in WordPress \d\.\d\.\d\.$/m;
    await project.prints("check", 0, sees);
    await rename(join(project.dir, SHOP, "acme-shop.php"), join(project.dir, SHOP, "inactive.php"));
    const says = `The WordPress at "site" did not load "${SHOP}".`;
    await project.prints("check", 3, says, "Activate the plugin");
    await rename(join(project.dir, SHOP, "inactive.php"), join(project.dir, SHOP, "acme-shop.php"));

    await project.configure({ servers: { shop: { php: { paths: [SHOP] } } } });
    await rm(join(project.dir, LOCKFILE_NAME));
    const { servers } = await lock(project);
    const { shop } = real.servers;
    // A real site has answers of its own.
    expect(servers).toEqual({ shop: { ...shop, wordpress: { ...shop?.wordpress, answers: {} } } });

    // Without paths, all abilities of the site are read.
    await project.configure({ servers: { shop: { php: { wordpress: "site" } } } });
    expect(Object.keys((await lock(project)).servers["shop"]?.tools ?? {})).toHaveLength(51);
    const posts = "site/wp-content/mu-plugins/acme-posts.php";
    await edit(project, posts, "acme/get-post", "acme/Get-Post");
    await edit(project, ORDERS, "'completed'", "'done'");
    const line = (await project.read(ORDERS)).split("\n").findIndex((text) => text.includes("'done'")) + 1;
    const { exitCode, document, stderr } = await project.runJson("check");
    expect(exitCode).toBe(1);
    const changes = document["changes"] as { readonly php?: unknown }[];
    expect(changes.map(({ php }) => php)).toContainEqual({ file: ORDERS, line });
    expect(stderr).toMatch(
      /WordPress would not register the ability "acme\/Get-Post" \(site\/wp-content\/mu-plugins\/acme-posts\.php:\d+\): Ability name must be/,
    );
    await edit(project, posts, "acme/Get-Post", "acme/get-post");
    await rename(join(project.dir, SHOP), join(project.dir, "acme-shop"));
    await project.prints("check", 1, "1 change in 31 places");
  });

  test("the built program finds its PHP files", async () => {
    const project = await projectWith({ wordpress: "site" });
    const servers = { shop: { php: { wordpress: "site" } }, core: { php: { paths: [SHOP] } } };
    await project.configure({ output: false, servers });
    const { exitCode, stdout } = await runProgram(project, ["pull"], { CI: "" });
    expect([exitCode, stdout.match(/abilities read with php/g)]).toEqual([
      0,
      [{}, {}].map(() => expect.any(String) as string),
    ]);
  });

  test.each(["link", "container"])(
    "in a plugin's repository, other plugins are not read (%s)",
    async (kind) => {
      const project = await projectWith(
        kind === "link" ? { wordpress: "site", paths: ["."] } : { command: "../site/wp", paths: ["."] },
      );
      const site = kind === "link" ? join(project.dir, "site") : `${project.dir}-site`;
      onTestFinished(() => rm(site, { recursive: true, force: true }));
      for (const file of ["acme-shop.php", "src"])
        await rename(join(project.dir, SHOP, file), join(project.dir, file));
      await rm(join(project.dir, SHOP), { recursive: true });
      if (kind === "link") {
        await symlink(project.dir, join(project.dir, SHOP));
      } else {
        // The container has a copy of the repository in a folder of the same name.
        await rename(join(project.dir, "site"), site);
        const inSite = join(site, "wp-content/plugins", basename(project.dir));
        for (const file of ["acme-shop.php", "src"])
          await cp(join(project.dir, file), join(inSite, file), { recursive: true });
        await project.configure({ servers: { shop: { php: { command: `${site}/wp`, paths: ["."] } } } });
      }
      const tools = (await lock(project)).servers["shop"]?.tools ?? {};
      expect(Object.keys(tools)).toHaveLength(31);
      expect(tools["shop-list-orders"]?.ability?.file).toBe("src/Part.php");
      await project.prints("check", 0);
    },
  );

  test("plugins can only read the database, and texts are in English", async () => {
    const project = await projectWith({ wordpress: "site", paths: ["site/wp-content/mu-plugins/probe.php"] });
    await project.write(
      "site/wp-content/mu-plugins/probe.php",
      `<?php /* Plugin Name: Probe */
add_action( 'wp_abilities_api_categories_init', fn() => wp_register_ability_category( 'probe', array( 'label' => 'P', 'description' => 'P' ) ) );
add_action( 'wp_abilities_api_init', fn() => wp_register_ability( 'probe/probe', array( 'label' => 'P', 'category' => 'probe',
    'description' => json_encode( array(
        apply_filters( 'query', "/* x */ UPDATE wp_options SET a = 1" ), apply_filters( 'query', ' (select 2)' ), apply_filters( 'query', '/* a */ -- b
 SHOW TABLES' ), apply_filters( 'query', '/*!50000 TRUNCATE a */ SELECT 1' ),
        is_wp_error( apply_filters( 'pre_http_request', false, array(), 'http://example.org' ) ), apply_filters( 'pre_wp_mail', null ),
        apply_filters( 'locale', 'de_DE' ), DISABLE_WP_CRON ) ),
    'execute_callback' => '__return_true', 'permission_callback' => '__return_true', 'meta' => array( 'mcp' => array( 'public' => true ) ) ) ) );`,
    );
    const tool = (await lock(project)).servers["shop"]?.tools["probe-probe"];
    const seen = tool?.definition["description"];
    expect(JSON.parse(typeof seen === "string" ? seen : "")).toEqual([
      "SELECT 1 LIMIT 0",
      " (select 2)",
      "/* a */ -- b\n SHOW TABLES",
      "SELECT 1 LIMIT 0",
      true,
      false,
      "en_US",
      true,
    ]);
  });

  test.each(isReal ? REAL_TROUBLES : [...REAL_TROUBLES, OLD])(
    "%s: the reason is reported, and no password",
    async (trouble, message) => {
      const project = await projectWith({ wordpress: "site" }, trouble);
      const { stdout, stderr } = await project.prints("pull", 3);
      expect(stdout + stderr).toMatch(message);
      expect(stdout + stderr).not.toContain("hunter2");
    },
  );

  // test/sources/php/read-core.test.ts has all ways in which a plugin fails.
  test("a plugin that fails is named with its file, line and reason, without secrets", async () => {
    const project = await projectWith({ wordpress: "site" });
    const secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
    for (const [php, message] of [
      ["no_such_function();", "line 2, loading: Error: Call to undefined function no_such_function()."],
      [`throw new Exception( 'no key ${secret}' );`, "line 2, loading: Exception: no key …"],
    ] as const) {
      await project.write(`${SHOP}/acme-shop.php`, `<?php\n${php}`);
      const { stdout, stderr } = await project.prints("pull", 3);
      expect(stdout + stderr).toContain(
        `The WordPress at "site" failed: "${SHOP}/acme-shop.php", ${message}`,
      );
    }
  });

  test("a folder without WordPress, or without wp-config.php", async () => {
    const project = await makeProject({ servers: { shop: { php: { wordpress: "site" } } } });
    await project.refuses("pull", 'servers.shop.php.wordpress: "site" has no wp-load.php.');
    await project.write("site/wp-load.php", "<?php");
    expect((await project.run("pull")).stdout).toContain('The WordPress at "site" has no wp-config.php.');
  });
});

describe.skipIf(!hasPhp)(`abilities of a WordPress behind a command${WITH_PHP}`, () => {
  test("keeps lines and refusals if another plugin reads the abilities first", async () => {
    const plugins = "site/wp-content/mu-plugins";
    const project = await projectWith({ command: "site/wp" });
    await lock(project);
    await project.write(
      `${plugins}/bad.php`,
      "<?php\nadd_action( 'wp_abilities_api_init', function () {\nwp_register_ability( 'Bad/Name', array() ); } );",
    );
    const before = await project.runJson("check");
    await project.write(
      `${plugins}/early.php`,
      "<?php add_action( 'wp_loaded', function () { wp_get_abilities(); }, 99 );",
    );
    const { document } = await project.runJson("check");
    expect(document["php"]).toEqual(before.document["php"]);
    expect(document["php"]).toMatchObject([
      { facts: { php: { refused: [{ name: "Bad/Name", file: `${plugins}/bad.php`, line: 3 }] } } },
    ]);
    // A callback that can run only once keeps the abilities.
    await project.write(
      `${plugins}/once.php`,
      "<?php add_action( 'wp_abilities_api_init', function () { eval( 'function only_once() {}' ); } );",
    );
    const once = await project.runJson("check");
    // WordPress has three abilities of its own.
    expect(once.document).toMatchObject({
      exitCode: 0,
      php: [{ facts: { php: { abilities: 55, refused: [] } } }],
    });
  });

  test("WP-CLI reads the script from stdin, and files of the container are mapped to local ones", async () => {
    const project = await projectWith({ command: "site/wp --quiet", paths: ["acme-shop"] });
    // The container has its own copy of the plugin, at another place.
    await cp(join(project.dir, SHOP), join(project.dir, "acme-shop"), { recursive: true });
    const tools = (await lock(project)).servers["shop"]?.tools ?? {};
    expect(Object.keys(tools)).toHaveLength(31);
    expect(tools["shop-list-orders"]?.ability?.file).toBe("acme-shop/src/Part.php");
    await project.write(`${SHOP}/acme-shop.php`, "<?php\nno_such_function();");
    const { stdout, stderr } = await project.prints("pull", 3);
    expect(stdout + stderr).toMatch(
      /The WordPress of "site\/wp" failed: "acme-shop\/acme-shop\.php", line 2: Uncaught Error: Call to undefined function no_such_function\(\)\./,
    );
  });

  test.each([
    ["no-such-program", /The program "no-such-program" was not found\./],
    [
      "sh -c 'echo Error: password=hunter2 >&2; exit 4'",
      /The WordPress of "sh" returned no answer: the command exited with code 4 and printed "Error: password=…"/,
    ],
    ["sh -c 'echo \"Error: Error establishing a database connection\" >&2; exit 1'", /The WordPress of "sh" cannot reach its database\./], // prettier-ignore
    ["sh -c 'echo \"<h1>PDO Driver for SQLite is missing</h1>\"; exit 1'", /The WordPress of "sh" needs the extension pdo_sqlite/], // prettier-ignore
    ["sh -c 'kill -9 $$'", /killed by a signal/],
  ])("%s", async (command, message) => {
    const project = await makeProject({ servers: { shop: { php: { command } } } });
    const { stdout, stderr } = await project.prints("pull", 3);
    expect(stdout + stderr).toMatch(message);
    expect(stdout + stderr).not.toContain("hunter2");
  });
});
