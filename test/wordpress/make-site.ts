import { cp, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/** The fault of the WordPress stand-in. */
export type SiteTrouble = "none" | "database" | "empty-database" | "no-sqlite" | "old" | "long";

/** Creates a stand-in for a WordPress, with our own plugins. See `stand-in/wp-load.php`. */
export async function makeSite(folder: string, trouble: SiteTrouble = "none"): Promise<void> {
  await mkdir(join(folder, "wp-content"), { recursive: true });
  await cp(resolve("test/wordpress/stand-in"), folder, { recursive: true });
  await cp(resolve("src/sources/php/stub"), join(folder, "wp-includes"), { recursive: true });
  for (const plugins of ["mu-plugins", "plugins"]) {
    await cp(resolve("test/wordpress", plugins), join(folder, "wp-content", plugins), { recursive: true });
  }
  const config = `<?php define( 'DB_PASSWORD', 'hunter2' ); define( 'STAND_IN', '${trouble}' );`;
  await writeFile(join(folder, "wp-config.php"), config);
}
