import { chmod, cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { copyRealSite, REAL_WORDPRESS } from "./real/real-site.js";

/** The fault of the WordPress. A real one has no fault "no-sqlite" or "old". */
export type SiteTrouble = "none" | "database" | "empty-database" | "no-sqlite" | "old" | "long";

/** Creates a WordPress on disk with our own plugins: a stand-in, see `stand-in/wp-load.php`, or a real one. */
export async function makeSite(folder: string, trouble: SiteTrouble = "none"): Promise<void> {
  await (REAL_WORDPRESS === undefined ? makeStandIn(folder, trouble) : makeRealSite(folder, trouble));
  for (const plugins of ["mu-plugins", "plugins"]) {
    await cp(resolve("test/wordpress", plugins), join(folder, "wp-content", plugins), { recursive: true });
  }
}

async function makeStandIn(folder: string, trouble: SiteTrouble): Promise<void> {
  await mkdir(join(folder, "wp-content"), { recursive: true });
  await cp(resolve("test/wordpress/stand-in"), folder, { recursive: true });
  await cp(resolve("src/sources/php/stub"), join(folder, "wp-includes"), { recursive: true });
  const config = `<?php define( 'DB_PASSWORD', 'hunter2' ); define( 'STAND_IN', '${trouble}' );`;
  await writeFile(join(folder, "wp-config.php"), config);
}

async function makeRealSite(folder: string, trouble: SiteTrouble): Promise<void> {
  await copyRealSite(folder);
  const content = join(folder, "wp-content");
  const database = join(content, "database/wordpress.sqlite");
  await writeFile(
    join(folder, "wp"),
    `#!/bin/sh\nexec "${REAL_WORDPRESS}/bin/wp" --path="$(dirname "$0")" "$@"\n`,
  );
  await chmod(join(folder, "wp"), 0o755);
  const active = `<?php
add_filter( 'pre_option_active_plugins', fn() => array_map( 'plugin_basename', glob( WP_PLUGIN_DIR . '/*/acme-*.php' ) ) );
${trouble === "long" ? "while ( true ) { echo str_repeat( 'x', 1 << 20 ); }" : ""}`;
  await writeFile(join(content, "mu-plugins/active.php"), active);
  if (trouble === "database") await writeFile(database, "Not SQLite.");
  if (trouble === "empty-database") await rm(database);
}
