import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The folder of what tests download. */
export const CACHE: string = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "mcp-codegen");

/** The package has WordPress 7.1.1, the SQLite integration 3.0.2 and WP-CLI 2.12.0. */
export const PACKAGE = "wp-studio@1.22.0";

export const PACKAGE_FOLDER: string = join(CACHE, PACKAGE.replace("@", "-"));

/** The WordPress that tests run plugins in: the one of WP_CORE_DIR, or that of `npm run wordpress:core`. */
export const CORE: string | undefined = [
  process.env["WP_CORE_DIR"] ?? "",
  join(PACKAGE_FOLDER, "latest/wordpress"),
].find((folder) => folder !== "" && existsSync(join(folder, "wp-settings.php")));
