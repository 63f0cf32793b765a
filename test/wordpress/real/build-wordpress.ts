/**
 * Builds a WordPress on SQLite without root and without a database server: WordPress, its SQLite integration and WP-CLI
 * come from one npm package, which is kept in the user's cache folder.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, copyFile, cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { findProgram } from "../../find-program.js";
import { APPLICATION_PASSWORD } from "./real-site.js";

/** The package has WordPress 7.1.1, the SQLite integration 3.0.2 and WP-CLI 2.12.0. */
const PACKAGE = "wp-studio@1.22.0";
const INTEGRITY =
  "sha512-boMtahkhgWDKKyNTBA1uTK5ghnAmxXhDY6KeQCO9FmcI3/o+YOSq8JwYW5ZYnxHCxH14Jf/mD6CJTBvTWl2Ytw==";
const INSIDE = "package/dist/cli/wp-files";
const PARTS = ["latest/wordpress", "sqlite-database-integration", "wp-cli"];
/** Files that only browsers load: two thirds of WordPress. */
const OMITTED = ["js", "woff2", "webp", "png", "ttf"];

const CACHE = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "mcp-codegen");
const FILES = fileURLToPath(new URL("site", import.meta.url));
const HAS_SQLITE = 'exit(extension_loaded("pdo_sqlite") ? 0 : 1);';

/** Why this machine cannot have a WordPress. */
export class CannotBuild extends Error {}

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

/** Returns the folder of the package's parts. */
async function fetchPackage(): Promise<string> {
  const folder = join(CACHE, PACKAGE.replace("@", "-"));
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const temporary = await mkdtemp(`${folder}-`);
  try {
    const [packed] = JSON.parse(
      await run("npm", ["pack", PACKAGE, "--json", "--silent"], temporary).catch(() => {
        throw new CannotBuild(`npm could not fetch ${PACKAGE}.`);
      }),
    ) as readonly { readonly filename: string; readonly integrity: string }[];
    if (packed?.integrity !== INTEGRITY)
      throw new Error(`${PACKAGE} has another integrity than ${INTEGRITY}.`);
    const parts = PARTS.map((part) => `${INSIDE}/${part}`);
    const options = ["--strip-components=4", ...OMITTED.map((kind) => `--exclude=*.${kind}`)];
    await run("tar", ["-xzf", packed.filename, ...options, ...parts], temporary);
    await rm(join(temporary, packed.filename));
    await keep(temporary, folder);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return folder;
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

/** Moves a complete folder into the cache, unless another run did. */
async function keep(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: unknown) => {
    if (!existsSync(to)) throw error;
  });
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

async function run(program: string, args: readonly string[], cwd: string = tmpdir()): Promise<string> {
  return (await promisify(execFile)(program, [...args], { cwd, maxBuffer: 1e8 })).stdout;
}
