import { execFileSync } from "node:child_process";
import { cp, rename, rm, symlink } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parseLockfile } from "../../src/core/lockfile-text.js";
import { hasPhp, WITH_PHP } from "../sources/php/has-php.js";
import { makeSite, type SiteTrouble } from "../wordpress/make-site.js";
import { REAL_WORDPRESS } from "../wordpress/real/real-site.js";
import { LOCKFILE_NAME, makeProject, type Project } from "./make-project.js";

const SHOP = "site/wp-content/plugins/acme-shop";
const isReal = REAL_WORDPRESS !== undefined;
const ORDERS = `${SHOP}/src/Orders.php`;

/** Why a WordPress does not load, with the message. */
const REAL_TROUBLES: readonly (readonly [SiteTrouble, RegExp])[] = [
  ["database", /The WordPress at "site" cannot reach its database\./],
  ["empty-database", /The WordPress at "site" is not installed: its database has no tables\./],
  ["long", /The WordPress at "site" printed more than 32 MB\./],
];
/** Not in a real WordPress of this version, with the PHP of the tests. */
const OTHER_TROUBLES: typeof REAL_TROUBLES = [
  ["no-sqlite", /The WordPress at "site" needs the extension pdo_sqlite, which this PHP does not have\./],
  ["old", /The WordPress at "site" has no Abilities API\.[^]*WordPress 6\.9/],
];

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
  test("the lock equals that of the core without a site, and check reports which WordPress it read", async () => {
    const project = await projectWith({ wordpress: "site", paths: [SHOP] });
    const real = await lock(project);
    await project.prints(
      "check",
      0,
      /^shop: 31 abilities read with php \d+\.\d+\.\d+ in WordPress \d\.\d\.\d\.$/m,
    );
    await project.configure({ servers: { shop: { php: { paths: [SHOP] } } } });
    await rm(join(project.dir, LOCKFILE_NAME));
    const { servers } = await lock(project);
    const { shop } = real.servers;
    // A real site has answers of its own.
    expect(servers).toEqual({ shop: { ...shop, wordpress: { ...shop?.wordpress, answers: {} } } });
    expect((await project.run("check")).stdout).toMatch(/in WordPress \d\.\d\.\d \(a new single site\)\.$/m);
  });

  test("without paths, all abilities of the site are read, and a missing one is removed", async () => {
    const project = await projectWith({ wordpress: "site" });
    expect(Object.keys((await lock(project)).servers["shop"]?.tools ?? {})).toHaveLength(51);
    await rename(join(project.dir, SHOP), join(project.dir, "acme-shop"));
    await project.prints("check", 1, "1 change in 31 places");
  });

  test.each([{ paths: [SHOP] }, { wordpress: "site" }])(
    "the built program finds its PHP files (%j)",
    async (php) => {
      const project = await projectWith(php);
      const printed = execFileSync(process.execPath, [resolve("bin/mcp-codegen.js"), "pull"], {
        cwd: project.dir,
        encoding: "utf8",
        stdio: "pipe",
        env: { ...process.env, CI: "" },
      });
      expect(printed).toMatch(/abilities read with php/);
    },
  );

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

  test("a change is reported on its line of PHP", async () => {
    const project = await projectWith({ wordpress: "site" });
    await lock(project);
    await edit(project, ORDERS, "'completed'", "'done'");
    const line = (await project.read(ORDERS)).split("\n").findIndex((text) => text.includes("'done'")) + 1;
    const { exitCode, document } = await project.runJson("check");
    expect(exitCode).toBe(1);
    const changes = document["changes"] as { readonly php?: unknown }[];
    expect(changes.map(({ php }) => php)).toContainEqual({ file: ORDERS, line });
  });

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

  test("an ability that WordPress refuses is reported with its place", async () => {
    const project = await projectWith({ wordpress: "site" });
    await lock(project);
    await edit(project, "site/wp-content/mu-plugins/acme-posts.php", "acme/get-post", "acme/Get-Post");
    const { stdout } = await project.run("check");
    expect(stdout).toMatch(
      /WordPress would not register the ability "acme\/Get-Post" \(site\/wp-content\/mu-plugins\/acme-posts\.php:\d+\): Ability name must be/,
    );
  });

  test("a plugin that is not active is not verified", async () => {
    const project = await projectWith({ wordpress: "site", paths: [SHOP] });
    await lock(project);
    await rename(join(project.dir, SHOP, "acme-shop.php"), join(project.dir, SHOP, "inactive.php"));
    await project.prints(
      "check",
      3,
      `The WordPress at "site" did not load "${SHOP}".`,
      "Activate the plugin",
    );
  });

  test.each(isReal ? REAL_TROUBLES : [...REAL_TROUBLES, ...OTHER_TROUBLES])(
    "%s: the reason is reported, and no password",
    async (trouble, message) => {
      const project = await projectWith({ wordpress: "site" }, trouble);
      const { stdout, stderr } = await project.prints("pull", 3);
      expect(stdout + stderr).toMatch(message);
      expect(stdout + stderr).not.toContain("hunter2");
    },
  );

  test.each([
    [
      "no_such_function();",
      /The WordPress at "site" failed: "site\/wp-content\/plugins\/acme-shop\/acme-shop\.php", line 2, loading: Error: Call to undefined function no_such_function\(\)\./,
    ],
    ["if (", /line \d+, loading: ParseError:/],
    [
      "exit;",
      /failed: "site\/wp-content\/plugins\/acme-shop\/acme-shop\.php", line 2, loading: the plugin ends the process \(exit or die\)\./,
    ],
    ["throw new Exception( 'no key sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789' );", /line 2, loading: Exception: no key …/], // prettier-ignore
  ])("%s in a plugin is reported with plugin, file and line", async (php, message) => {
    const project = await projectWith({ wordpress: "site" });
    await project.write(`${SHOP}/acme-shop.php`, `<?php\n${php}`);
    const { stdout, stderr } = await project.prints("pull", 3);
    expect(stdout + stderr).toMatch(message);
  });

  test("a folder without WordPress, or without wp-config.php", async () => {
    const project = await projectWith({ wordpress: "site" });
    await rm(join(project.dir, "site/wp-config.php"));
    expect((await project.run("pull")).stdout).toContain('The WordPress at "site" has no wp-config.php.');
    await rm(join(project.dir, "site/wp-load.php"));
    await project.refuses("pull", 'servers.shop.php.wordpress: "site" has no wp-load.php.');
  });
});

describe.skipIf(!hasPhp)(`abilities of a WordPress behind a command${WITH_PHP}`, () => {
  test("WP-CLI reads the script from stdin, and files of the container are mapped to local ones", async () => {
    const project = await projectWith({ command: "site/wp --quiet", paths: ["acme-shop"] });
    // The container has its own copy of the plugin, at another place.
    await rename(join(project.dir, SHOP), join(project.dir, "acme-shop"));
    await makeSite(join(project.dir, "site"));
    const server = (await lock(project)).servers["shop"];
    expect(Object.keys(server?.tools ?? {})).toHaveLength(31);
    expect(server?.tools["shop-list-orders"]?.ability?.file).toBe("acme-shop/src/Part.php");
    expect((await project.run("check")).stdout).toMatch(/in WordPress \d\.\d\.\d\.$/m);
  });

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

  test("a fatal error that the command prints has its plugin, file and line", async () => {
    const project = await projectWith({ command: "site/wp" });
    await project.write(`${SHOP}/acme-shop.php`, "<?php\nno_such_function();");
    const { stdout, stderr } = await project.prints("pull", 3);
    expect(stdout + stderr).toMatch(
      /The WordPress of "site\/wp" failed: "site\/wp-content\/plugins\/acme-shop\/acme-shop\.php", line 2: Uncaught Error: Call to undefined function no_such_function\(\)\./,
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
