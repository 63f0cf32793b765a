/**
 * Prints the abilities that the core finds in public plugins beside those that a real WordPress registered,
 * for each plugin alone and for all in one `paths`: `npm run report php-plugins [-- FOLDER]`. The registry names
 * plugins by their main files, relative to the folder; missing plugins are listed. Without a folder, PHP code
 * generated from the registry is used.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { compareWithCore } from "../../test/wordpress/compare-with-core.js";
import { REGISTRY, writeRegistry, type Registry } from "../php-lines/write-registry.js";

const [folder] = process.argv.slice(2);
const dir = folder === undefined ? mkdtempSync(join(tmpdir(), "registry-")) : resolve(folder);
if (folder === undefined) writeRegistry(dir);
const read = JSON.parse(readFileSync(REGISTRY, "utf8")) as Registry;
const registry: Registry = Object.fromEntries(
  Object.entries(read).map(([main, entry]) => [folder === undefined ? basename(main) : main, entry]),
);
const present = Object.keys(registry).filter((main) => existsSync(join(dir, main)));
for (const main of present) await compare(main, [main]);
if (present.length > 1) await compare("all in one paths", present);
const absent = Object.keys(registry).filter((main) => !present.includes(main));
if (absent.length > 0) console.log(`not in the folder: ${absent.join(", ")}`);
if (folder === undefined) rmSync(dir, { recursive: true });

async function compare(title: string, mains: readonly string[]): Promise<void> {
  // WordPress sorts plugins, and keeps the first of two abilities with one name.
  const abilities = [...mains]
    .sort()
    .flatMap((main) => registry[main]?.abilities ?? [])
    .reverse()
    .map((ability) => ({ ability }));
  const { equal, different, missed, invented, undecided, failed } = await compareWithCore(
    abilities,
    mains.map(pathOf),
    dir,
  );
  console.log(
    `${title}: ${equal} equal, ${different.length} different, ${missed.length} missed, ${invented.length} invented, ${undecided.length} undecided, ${failed} plugins failed`,
  );
  for (const [kind, names] of Object.entries({ different, missed, invented })) {
    for (const name of names) console.log(`  ${kind}: ${name}`);
  }
}

/** Returns the folder of a plugin, or its file without one. */
function pathOf(main: string): string {
  return dirname(main) === "." ? main : dirname(main);
}
