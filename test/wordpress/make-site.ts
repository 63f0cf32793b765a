import { chmod, cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { CORE } from "./core.js";
import { run } from "./real/fetch-wordpress.js";
import { copyRealSite, REAL_WORDPRESS } from "./real/real-site.js";

/** The fault of the WordPress. A real one has no fault "no-sqlite" or "old". */
export type SiteTrouble = "none" | "database" | "empty-database" | "no-sqlite" | "old" | "long";

/** Creates a WordPress on disk with our own plugins. */
export async function makeSite(folder: string, trouble: SiteTrouble = "none"): Promise<void> {
  await copySite(folder);
  const content = join(folder, "wp-content");
  for (const plugins of ["mu-plugins", "plugins"]) {
    await cp(resolve("test/wordpress", plugins), join(content, plugins), { recursive: true });
  }
  await writeFile(
    join(content, "mu-plugins/active.php"),
    `<?php
echo "<b>Notice</b>: Undefined variable \\$x in plugin.php on line 1\\n";
add_filter( 'pre_option_active_plugins', fn() => array_map( 'plugin_basename', glob( WP_PLUGIN_DIR . '/*/acme-*.php' ) ) );
${trouble === "long" ? "while ( true ) { echo str_repeat( 'x', 1 << 20 ); }" : ""}`,
  );
  if (REAL_WORDPRESS === undefined) return breakStandIn(folder, trouble);
  const database = join(content, "database/wordpress.sqlite");
  const wp = join(folder, "wp");
  await writeFile(wp, `#!/bin/sh\nexec "${REAL_WORDPRESS}/bin/wp" --path="$(dirname "$0")" "$@"\n`);
  await chmod(wp, 0o755);
  if (trouble === "database") await writeFile(database, "Not SQLite.");
  if (trouble === "empty-database") await rm(database);
}

/**
 * Copies a WordPress to a folder: a real one under `npm run test:wordpress`, or else the core with a stand-in for its database,
 * and ones for `wp` and `wp-playground-cli`. Files may be hard links; do not change them in place.
 */
export async function copySite(folder: string): Promise<void> {
  if (REAL_WORDPRESS !== undefined) return copyRealSite(folder);
  if (CORE === undefined) throw new Error('There is no WordPress: run "npm run wordpress:core".');
  const content = join(folder, "wp-content");
  await mkdir(join(content, "mu-plugins"), { recursive: true });
  const parts = `cd "$1" && for links in -l ""; do cp -Rf $links *.php wp-admin wp-includes "$2" && break; done`;
  await run("sh", ["-c", parts, "sh", CORE, resolve(folder)]);
  await cp(resolve("test/wordpress/site/wp-config.php"), join(folder, "wp-config.php"));
  await cp(resolve("test/wordpress/stand-in"), folder, { recursive: true });
  const load = async (name: string, file: string): Promise<void> =>
    writeFile(join(content, name), `<?php require '${resolve(file)}';\n`);
  await load("db.php", "test/wordpress/site/db.php");
  await load("mu-plugins/!new-site.php", "src/sources/php/core/new-site.php");
}

/** What WordPress and its SQLite integration do without their database or its extension. */
const DROP_INS: Partial<Record<SiteTrouble, string>> = {
  database: "dead_db();",
  "no-sqlite":
    "wp_die( new WP_Error( 'pdo_driver_not_loaded', '<h1>PDO Driver for SQLite is missing</h1>' ) );",
};

async function breakStandIn(folder: string, trouble: SiteTrouble): Promise<void> {
  const dropIn = DROP_INS[trouble];
  if (dropIn !== undefined) await writeFile(join(folder, "wp-content/db.php"), `<?php ${dropIn}`);
  if (trouble === "empty-database") await writeFile(join(folder, "wp-content/options.json"), "[]");
  if (trouble !== "old") return;
  const api = join(folder, "wp-includes/abilities-api.php");
  await rm(api);
  await writeFile(api, "<?php");
}
