import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { isJsonObject } from "../contract/json.js";
import type { ProjectFormat } from "../contract/generated-file.js";
import type { PrettierConfig } from "./find-prettier-config.js";

/**
 * Finds the formatter of a project: Prettier where the project configures it or lists it as a dependency. An
 * installed Prettier alone does not count, since other packages may depend on it.
 */
export async function findProjectFormat(
  folder: string,
  { path, bytes }: PrettierConfig,
): Promise<ProjectFormat> {
  const usesPrettier = path !== undefined || (await listsPrettier(folder));
  const prettier = usesPrettier ? findInstalled(folder) : undefined;
  return { usesPrettier, hasEditorConfig: bytes !== "", ...(prettier !== undefined && { prettier }) };
}

/** Whether a package.json in this folder or above lists Prettier. */
async function listsPrettier(folder: string): Promise<boolean> {
  const text = await readFile(join(folder, "package.json"), "utf8").catch(() => "{}");
  if (listsDependency(text, "prettier")) return true;
  const parent = dirname(folder);
  return parent !== folder && listsPrettier(parent);
}

function listsDependency(manifest: string, name: string): boolean {
  try {
    const json: unknown = JSON.parse(manifest);
    return ["dependencies", "devDependencies"].some((key) => {
      const list = isJsonObject(json) ? json[key] : undefined;
      return isJsonObject(list) && Object.hasOwn(list, name);
    });
  } catch {
    return false;
  }
}

function findInstalled(folder: string): string | undefined {
  try {
    return pathToFileURL(createRequire(join(folder, "index.js")).resolve("prettier")).href;
  } catch {
    return undefined;
  }
}
