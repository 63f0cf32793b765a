import { execFile } from "node:child_process";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** The folder of `buildWordPress()`, if tests run in a real WordPress: `npm run test:wordpress`. */
export const REAL_WORDPRESS: string | undefined = process.env["REAL_WORDPRESS"];

/** Every user of a site (`admin`, `editor`, `subscriber`) has this application password. */
export const APPLICATION_PASSWORD = "abcd efgh ijkl mnop";

/** Copies the WordPress to a new folder. Its files are hard links, apart from the database; do not change them in place. */
export async function copyRealSite(folder: string): Promise<void> {
  if (REAL_WORDPRESS === undefined) throw new Error("There is no WordPress to copy.");
  await promisify(execFile)("cp", ["-Rlf", join(REAL_WORDPRESS, "site", "."), folder]);
  const database = "wp-content/database/wordpress.sqlite";
  await rm(join(folder, database));
  await cp(join(REAL_WORDPRESS, "site", database), join(folder, database));
}
