import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ProjectFormat } from "../core/generated-file.js";
import { dependsOn, readManifest, upwards } from "./read-manifest.js";

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
  for (const directory of upwards(folder))
    if (dependsOn(await readManifest(join(directory, "package.json")), ["prettier"])) return true;
  return false;
}

function findInstalled(folder: string): string | undefined {
  try {
    return pathToFileURL(createRequire(join(folder, "index.js")).resolve("prettier")).href;
  } catch {
    return undefined;
  }
}

interface PrettierConfig {
  /** The configuration file that Prettier uses for this folder; undefined if it finds none. */
  readonly path?: string;
  /** Its contents and those of every applicable `.editorconfig`: equal bytes mean equal formatting. */
  readonly bytes: string;
}

interface Found {
  readonly path: string;
  readonly bytes: string;
}

/** Prettier's configuration files in its search order; `package.json` counts when it has a `prettier` key. */
const NAMES = [
  ...["package.json", "package.yaml", ".prettierrc", ".prettierrc.json", ".prettierrc.yml"],
  ...[".prettierrc.yaml", ".prettierrc.json5", ".prettierrc.js", "prettier.config.js", ".prettierrc.ts"],
  ...["prettier.config.ts", ".prettierrc.mjs", "prettier.config.mjs", ".prettierrc.mts"],
  ...["prettier.config.mts", ".prettierrc.cjs", "prettier.config.cjs", ".prettierrc.cts"],
  ...["prettier.config.cts", ".prettierrc.toml"],
];

/**
 * Finds Prettier's configuration for files in this folder with Prettier's rules, but without loading it: the nearest
 * configuration upwards, and each `.editorconfig` up to the root of the repository. Imports of a configuration are
 * not followed; `check --full` detects such changes.
 */
export async function findPrettierConfig(folder: string): Promise<PrettierConfig> {
  let config: Found | undefined;
  const editorConfigs: string[] = [];
  let isInRepository = true;
  for (const directory of upwards(folder)) {
    const entries = await list(directory);
    config ??= await findIn(directory, entries);
    if (isInRepository && entries.has(".editorconfig"))
      editorConfigs.push((await read(join(directory, ".editorconfig"))) ?? "");
    if (entries.has(".git") || entries.has(".hg")) isInRepository = false;
    if (config !== undefined && !isInRepository) break;
  }
  const bytes = [config?.bytes ?? "", ...editorConfigs].join("\0");
  return config === undefined ? { bytes } : { path: config.path, bytes };
}

async function findIn(directory: string, entries: ReadonlySet<string>): Promise<Found | undefined> {
  for (const name of NAMES.filter((candidate) => entries.has(candidate))) {
    const path = join(directory, name);
    const text = await read(path);
    const bytes = text === undefined ? undefined : relevantBytes(name, text);
    if (bytes !== undefined) return { path, bytes };
  }
  return undefined;
}

/** Only the `prettier` key of a package.json counts. */
function relevantBytes(name: string, text: string): string | undefined {
  if (name === "package.yaml") return /^prettier:/m.test(text) ? text : undefined;
  if (name !== "package.json") return text;
  try {
    const manifest: unknown = JSON.parse(text);
    if (typeof manifest !== "object" || manifest === null || !("prettier" in manifest)) return undefined;
    return JSON.stringify(manifest.prettier);
  } catch {
    // Prettier also ignores a package.json that does not parse.
    return undefined;
  }
}

async function read(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}

async function list(directory: string): Promise<ReadonlySet<string>> {
  return new Set(await readdir(directory).catch(() => []));
}
