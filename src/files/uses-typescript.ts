import { access } from "node:fs/promises";
import { dirname, join } from "node:path";
import { dependsOn, readManifest } from "./read-manifest.js";

const PROJECT_FILES = ["tsconfig.json", "deno.json", "deno.jsonc"];
/** Dependencies of a project that runs TypeScript or generated code without a `tsconfig.json`. */
const PACKAGES = ["typescript", "tsx", "zod", "next"];

/**
 * Whether a folder belongs to a project that can use generated TypeScript: the folder, or one above it in the same
 * git repository, has a TypeScript configuration or a `package.json` with one of {@link PACKAGES}.
 */
export async function usesTypeScript(folder: string): Promise<boolean> {
  for (const name of PROJECT_FILES) if (await exists(join(folder, name))) return true;
  const manifest = await readManifest(join(folder, "package.json"));
  if (dependsOn(manifest, PACKAGES, ["dependencies", "devDependencies", "peerDependencies"])) return true;
  const parent = dirname(folder);
  if (parent === folder || (await exists(join(folder, ".git")))) return false;
  return usesTypeScript(parent);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
