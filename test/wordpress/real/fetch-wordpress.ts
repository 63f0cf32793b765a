/**
 * Fetches WordPress, its SQLite integration and WP-CLI from one npm package, and keeps them in the user's cache folder:
 *
 *     npm run wordpress:core
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { CACHE, CORE, PACKAGE, PACKAGE_FOLDER } from "../core.js";

const INTEGRITY =
  "sha512-boMtahkhgWDKKyNTBA1uTK5ghnAmxXhDY6KeQCO9FmcI3/o+YOSq8JwYW5ZYnxHCxH14Jf/mD6CJTBvTWl2Ytw==";
const INSIDE = "package/dist/cli/wp-files";
const PARTS = ["latest/wordpress", "sqlite-database-integration", "wp-cli"];
/** Files that only browsers load: two thirds of WordPress. */
const OMITTED = ["js", "woff2", "webp", "png", "ttf"];

/** Why this machine cannot have a WordPress. */
export class CannotBuild extends Error {}

/**
 * Returns the folder of the package's parts.
 *
 * @throws CannotBuild if npm cannot fetch the package
 */
export async function fetchPackage(): Promise<string> {
  if (existsSync(PACKAGE_FOLDER)) return PACKAGE_FOLDER;
  await mkdir(CACHE, { recursive: true });
  const temporary = await mkdtemp(`${PACKAGE_FOLDER}-`);
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
    await keep(temporary, PACKAGE_FOLDER);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return PACKAGE_FOLDER;
}

/** Moves a complete folder into the cache, unless another run did. */
export async function keep(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: unknown) => {
    if (!existsSync(to)) throw error;
  });
}

export async function run(program: string, args: readonly string[], cwd: string = tmpdir()): Promise<string> {
  return (await promisify(execFile)(program, [...args], { cwd, maxBuffer: 1e8 })).stdout;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  try {
    console.log(
      `The tests run plugins in the WordPress in ${CORE ?? join(await fetchPackage(), "latest/wordpress")}.`,
    );
  } catch (error) {
    if (!(error instanceof CannotBuild)) throw error;
    console.log(`${error.message} The tests that need WordPress are skipped.`);
  }
}
