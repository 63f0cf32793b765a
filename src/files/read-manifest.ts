import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { isJsonObject } from "../core/json.js";

/** Yields a folder and every folder above it. */
export function* upwards(folder: string): Generator<string> {
  yield folder;
  const parent = dirname(folder);
  if (parent !== folder) yield* upwards(parent);
}

/** Returns the value of a JSON file; undefined for a file that cannot be read or parsed. */
export async function readManifest(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return undefined;
  }
}

const KINDS = ["dependencies", "devDependencies"];

/** Whether a `package.json` lists one of the packages as a dependency. */
export function dependsOn(manifest: unknown, packages: readonly string[], kinds = KINDS): boolean {
  const lists = isJsonObject(manifest) ? kinds.map((kind) => manifest[kind]) : [];
  return lists.some((list) => isJsonObject(list) && packages.some((name) => Object.hasOwn(list, name)));
}
