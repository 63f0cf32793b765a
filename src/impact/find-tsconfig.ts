import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { McpCodegenError } from "../core/errors.js";

/** Configuration files of TypeScript projects; the first in a folder counts. */
const NAMES = ["tsconfig.json", "jsconfig.json"];

/**
 * Returns the TypeScript project around the output folder, or else around the configuration: the nearest
 * `tsconfig.json` upwards. Loads no compiler, so that a missing project is reported before any server is contacted.
 *
 * @throws McpCodegenError `USAGE` when no project is found, or the named one does not exist
 */
export function findTsconfig(folders: readonly string[], named?: string): string {
  if (named !== undefined) {
    const found = [named, ...NAMES.map((name) => join(named, name))].find(isFile);
    if (found !== undefined) return found;
    throw new McpCodegenError("USAGE", `There is no TypeScript configuration at "${named}".`, {
      hint: "Pass --project a tsconfig.json, or the folder that contains one.",
    });
  }
  const found = folders.flatMap((folder) => upwards(folder)).find(isFile);
  if (found !== undefined) return found;
  throw new McpCodegenError("USAGE", "There is no tsconfig.json in the output folder or above it.", {
    hint: "Name the TypeScript project whose code calls the tools: --project <tsconfig>.",
  });
}

/**
 * As {@link findTsconfig}, for a search that was not requested: undefined when no project is found up to the nearest
 * folder with a `package.json`.
 */
export function findOwnTsconfig(folders: readonly string[]): string | undefined {
  return folders.flatMap((folder) => upwards(folder, hasManifest)).find(isFile);
}

function hasManifest(folder: string): boolean {
  return existsSync(join(folder, "package.json"));
}

function upwards(folder: string, isLast: (folder: string) => boolean = () => false): readonly string[] {
  const parent = dirname(folder);
  const here = NAMES.map((name) => join(folder, name));
  return parent === folder || isLast(folder) ? here : [...here, ...upwards(parent, isLast)];
}

function isFile(path: string): boolean {
  return existsSync(path) && /\.json$/.test(path);
}
