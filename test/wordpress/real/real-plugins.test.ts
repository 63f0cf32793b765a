/**
 * Compares the abilities of plugins in the core without a site with those in a real WordPress: alone and in one `paths`, with and without
 * the folder vendor/ of Composer.
 */
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { PhpAbility } from "../../../src/sources/php/php-answer.js";
import { readPhp } from "../../../src/sources/php/read-php.js";
import { REGISTRY, writeRegistry } from "../../../benchmarks/php-lines/write-registry.js";
import { compareWithCore, type CoreFigures } from "../compare-with-core.js";
import { copyRealSite } from "./real-site.js";

/** Plugins with PHP of their own: main files below the folder of plugins, and the number of abilities. */
const OWN: readonly (readonly [main: string, abilities: number])[] = [
  ["acme-posts.php", 5],
  ["acme-edge/acme-edge.php", 16],
  ["acme-shop/acme-shop.php", 31],
  ["acme-composer/acme-composer.php", 31],
];
/** It registers abilities if it has a key. */
const AKISMET = "akismet/akismet.php";
const FOLDER = "site/wp-content/plugins";

let dir: string;
/** The definitions of public plugins, in one PHP file for each. */
let registry: readonly string[] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "real-plugins-"));
  await copyRealSite(join(dir, "site"));
  for (const plugins of ["mu-plugins", "plugins"]) {
    await cp(resolve("test/wordpress", plugins), join(dir, FOLDER), { recursive: true });
  }
  await makeComposerPlugin(join(dir, FOLDER, "acme-composer"));
  if (existsSync(REGISTRY)) registry = writeRegistry(join(dir, FOLDER));
  await writeFile(
    join(dir, "site/wp-content/mu-plugins/active.php"),
    `<?php define( 'WPCOM_API_KEY', 'none' );
add_filter( 'pre_option_active_plugins', fn() => explode( ',', getenv( 'ACTIVE_PLUGINS' ) ) );`,
  );
});
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(() => rm(dir, { recursive: true, force: true, maxRetries: 3 }));

/** Copies acme-shop with other names, and lets Composer load its classes. */
async function makeComposerPlugin(folder: string): Promise<void> {
  await cp(resolve("test/wordpress/plugins/acme-shop"), folder, { recursive: true });
  await rename(join(folder, "acme-shop.php"), join(folder, "acme-composer.php"));
  await mkdir(join(folder, "vendor"));
  const files = await readdir(folder, { recursive: true });
  for (const file of files.filter((each) => each.endsWith(".php"))) {
    const text = (await readFile(join(folder, file), "utf8"))
      .replaceAll("Acme\\Shop", "Acme\\Composer")
      .replaceAll("ACME_SHOP", "ACME_COMPOSER")
      .replaceAll(/'shop([/-])/g, "'composer$1");
    const [loader] = /spl_autoload_register\([^]*?\n\);/.exec(text) ?? [];
    if (loader !== undefined) {
      const php = `<?php\n${loader.replaceAll("__NAMESPACE__", "'Acme\\\\Composer'")}\n`;
      await writeFile(join(folder, "vendor/autoload.php"), php);
    }
    const guarded =
      "if ( is_readable( __DIR__ . '/vendor/autoload.php' ) ) { require __DIR__ . '/vendor/autoload.php'; }";
    await writeFile(join(folder, file), loader === undefined ? text : text.replace(loader, () => guarded));
  }
}

/** Returns what the WordPress registers if these plugins are active. It sorts them when they are activated. */
async function readReal(mains: readonly string[]): Promise<readonly PhpAbility[]> {
  vi.stubEnv("ACTIVE_PLUGINS", [...mains].sort().join(","));
  const { abilities } = await readPhp("site", { wordpress: "site" }, { dir, lookup: () => undefined });
  return abilities.filter(({ file }) => file.startsWith(`${FOLDER}/`));
}

async function compare(registered: readonly PhpAbility[], mains: readonly string[]): Promise<CoreFigures> {
  const paths = mains.map((main) => `${FOLDER}/${main.split("/")[0] ?? ""}`);
  return compareWithCore(registered, paths, dir);
}

/** It registers its abilities on a site with a key, which a new site lacks. */
const WITH_KEY = ['as locked if get_option("wordpress_api_key") is "1"'];
const SAME = { different: [], missed: [], invented: [], undecided: [], failed: 0, notes: [] };

describe("plugins in the core and in a site", () => {
  test.each(OWN)("%s", async (main, count) => {
    expect(await compare(await readReal([main]), [main])).toEqual({ ...SAME, equal: count });
  });

  test("akismet, whose abilities depend on a key", async () => {
    const real = await readReal([AKISMET]);
    expect(await compare(real, [AKISMET])).toEqual({ ...SAME, equal: 2, notes: WITH_KEY });
  });

  test("definitions of public plugins, alone", async () => {
    for (const main of registry) {
      const real = await readReal([main]);
      expect([main, await compare(real, [main])]).toEqual([main, { ...SAME, equal: real.length }]);
    }
  });

  test("all in one paths, with and without vendor/", async () => {
    const mains = [...OWN.map(([main]) => main), AKISMET, ...registry];
    const real = await readReal(mains);
    const withVendor = await compare(real, mains);
    expect(withVendor).toEqual({ ...SAME, equal: real.length, notes: WITH_KEY });

    // In CI, Composer did not run.
    await rm(join(dir, FOLDER, "acme-composer/vendor"), { recursive: true });
    const alone = real.filter(({ file }) => file.includes("/acme-composer/"));
    const names = alone.map(({ ability }) => ability.name);
    await expect(compare(alone, ["acme-composer/acme-composer.php"])).rejects.toMatchObject({
      code: "PHP_FAILED",
      message: expect.stringContaining('class "Acme\\Composer\\Plugin" not found') as string,
    });
    const { undecided, ...together } = await compare(real, mains);
    const equal = withVendor.equal - names.length;
    const notes = WITH_KEY.map((note) => note.replace("as locked if", "compared as if"));
    expect({ ...together, undecided: [] }).toEqual({ ...SAME, equal, failed: 1, notes });
    expect([...undecided].sort()).toEqual(names.sort());
  });
});
