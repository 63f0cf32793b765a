/**
 * Builds a WordPress on SQLite without root and without a database server.
 */
import { existsSync } from "node:fs";
import { chmod, copyFile, cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findProgram } from "../../find-program.js";
import { CACHE } from "../core.js";
import { CannotBuild, fetchPackage, keep, run } from "./fetch-wordpress.js";
import { APPLICATION_PASSWORD } from "./real-site.js";

const FILES = fileURLToPath(new URL("../site", import.meta.url));
const HAS_SQLITE = 'exit(extension_loaded("pdo_sqlite") ? 0 : 1);';

/**
 * Builds a WordPress in a new folder: `site` is WordPress, `bin` has `php` with pdo_sqlite, and `wp` for the site of
 * the working folder.
 *
 * @throws CannotBuild if the package or the extension cannot be had
 */
export async function buildWordPress(dir: string): Promise<void> {
  const [files, extension] = await Promise.all([fetchPackage(), findExtension()]);
  const bin = join(dir, "bin");
  const site = join(dir, "site");
  await mkdir(bin, { recursive: true });
  const php = `exec "${phpOf()}" ${extension} -d memory_limit=512M`;
  await writeProgram(join(bin, "php"), `${php} "$@"`);
  await writeProgram(join(bin, "wp"), `${php} "${join(files, "wp-cli/wp-cli.phar")}" --allow-root "$@"`);
  await run("cp", ["-R", join(files, "latest/wordpress"), site]);
  const content = join(site, "wp-content");
  await run("cp", ["-R", join(files, "sqlite-database-integration"), join(content, "plugins")]);
  await copyFile(join(files, "sqlite-database-integration/db.copy"), join(content, "db.php"));
  await mkdir(join(content, "mu-plugins"));
  await cp(join(FILES, "wp-config.php"), join(site, "wp-config.php"));
  await run(join(bin, "php"), [join(FILES, "install.php"), site, APPLICATION_PASSWORD]);
}

/** Returns the option of PHP that loads pdo_sqlite; "" if it is loaded. Debian's package is unpacked, not installed. */
async function findExtension(): Promise<string> {
  const php = phpOf();
  if (await succeeds(php, ["-r", HAS_SQLITE])) return "";
  const version = await run(php, ["-r", 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;']);
  const name = `php${version}-sqlite3`;
  const folder = join(CACHE, name);
  const option = `-d "extension=${join(folder, "pdo_sqlite.so")}"`;
  if (!existsSync(folder)) {
    await mkdir(CACHE, { recursive: true });
    const temporary = await mkdtemp(`${folder}-`);
    try {
      await run("sh", ["-c", `apt-get download -qq ${name} && dpkg -x ./*.deb files`], temporary);
      const paths = await readdir(join(temporary, "files"), { recursive: true });
      const found = paths.find((path) => path.endsWith("/pdo_sqlite.so")) ?? "";
      await mkdir(join(temporary, "kept"));
      await copyFile(join(temporary, "files", found), join(temporary, "kept/pdo_sqlite.so"));
      await keep(join(temporary, "kept"), folder);
    } catch {
      throw new CannotBuild(`This PHP lacks the extension pdo_sqlite (Debian: ${name}).`);
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  }
  if (!(await succeeds("sh", ["-c", `"${php}" ${option} -r '${HAS_SQLITE}'`]))) {
    throw new CannotBuild(`PHP cannot load the extension pdo_sqlite of ${name}.`);
  }
  return option;
}

function phpOf(): string {
  const php = findProgram(["php"]);
  if (php === undefined) throw new CannotBuild("PHP is not installed.");
  return php;
}

async function writeProgram(path: string, command: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${command}\n`);
  await chmod(path, 0o755);
}

async function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  return run(program, args).then(
    () => true,
    () => false,
  );
}
