/**
 * Prints the abilities that the stub finds in public plugins beside those that a real WordPress registered,
 * for each plugin alone and for all in one `paths`: `npm run php:plugins [-- FOLDER]`. The registry names
 * plugins by their main files, relative to the folder; missing plugins are listed. Without a folder, PHP code
 * generated from the registry is used.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { canonicalJson } from "../../src/contract/canonical-json.js";
import type { JsonObject } from "../../src/contract/json.js";
import { readPhp } from "../../src/sources/php/php-reading.js";
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
  // WordPress keeps the first of two abilities with one name.
  const all = mains.flatMap((main) => registry[main]?.abilities ?? []).reverse();
  const real = new Map(all.map((one) => [typeof one["name"] === "string" ? one["name"] : "", one]));
  const { abilities, failures, possible } = await readPhp("site", { paths: mains.map(pathOf) }, { dir });
  const known = abilities.filter(({ doubt }) => doubt === undefined);
  const doubted = new Set([
    ...abilities.filter(({ doubt }) => doubt).map(({ ability }) => ability.name),
    ...possible.keys(),
  ]);
  const found = new Map(known.map(({ ability }) => [ability.name, ability]));
  const both = [...found].filter(([name]) => real.has(name));
  const different = both.filter(([name, one]) => textOf(one) !== textOf(real.get(name) ?? {}));
  const missed = [...real.keys()].filter((name) => !found.has(name) && !doubted.has(name));
  const invented = [...found.keys()].filter((name) => !real.has(name));
  console.log(
    `${title}: ${both.length - different.length} equal, ${different.length} different, ${missed.length} missed, ${invented.length} invented, ${doubted.size} not checked, ${failures.length} plugins failed`,
  );
  const names = [
    ...different.map(([name]) => `different: ${name}`),
    ...missed.map((name) => `missed: ${name}`),
    ...invented.map((name) => `invented: ${name}`),
  ];
  for (const name of names) console.log(`  ${name}`);
}

/** Returns the folder of a plugin, or its file without one. */
function pathOf(main: string): string {
  return dirname(main) === "." ? main : dirname(main);
}

/** The parts that belong to the contract. */
function textOf({ name, label, description, category, input_schema, output_schema }: JsonObject): string {
  const kept = { name, label, description, category, input_schema, output_schema };
  const isKept = ([, value]: readonly [string, unknown]): boolean =>
    value !== undefined && !(Array.isArray(value) && value.length === 0);
  return canonicalJson(Object.fromEntries(Object.entries(kept).filter(isKept)) as JsonObject);
}
