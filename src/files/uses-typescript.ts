import { access, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isJsonObject } from "../contract/json.js";

const PROJECT_FILES = ["tsconfig.json", "deno.json", "deno.jsonc"];
/** Dependencies of a project that runs TypeScript or generated code without a `tsconfig.json`. */
const PACKAGES = ["typescript", "tsx", "zod", "next"];

/**
 * Whether a folder belongs to a project that can use generated TypeScript: the folder, or one above it in the same
 * git repository, has a TypeScript configuration or a `package.json` with one of {@link PACKAGES}.
 */
export async function usesTypeScript(folder: string): Promise<boolean> {
  for (const name of PROJECT_FILES) if (await exists(join(folder, name))) return true;
  if (await dependsOnTypeScript(join(folder, "package.json"))) return true;
  const parent = dirname(folder);
  if (parent === folder || (await exists(join(folder, ".git")))) return false;
  return usesTypeScript(parent);
}

async function dependsOnTypeScript(path: string): Promise<boolean> {
  const manifest = await readJson(path);
  if (!isJsonObject(manifest)) return false;
  const named = ["dependencies", "devDependencies", "peerDependencies"].map((key) => manifest[key]);
  return named.some((found) => isJsonObject(found) && PACKAGES.some((name) => Object.hasOwn(found, name)));
}

/** Returns undefined for a file that cannot be read or parsed, so that `init` does not fail. */
async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return undefined;
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
