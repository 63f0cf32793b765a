import { access, readdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";
import { assertOwnCode } from "./owners.js";
import { parseJson } from "./parse-json.js";
import { findFileText, upwards } from "./read-files.js";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { ProjectFormat } from "../core/generated-file.js";

/** Returns the value of a JSON file; undefined for a file that cannot be read or parsed. */
export async function readManifest(path: string): Promise<unknown> {
  try {
    return JSON.parse((await read(path)) ?? "");
  } catch {
    return undefined;
  }
}

const KINDS = ["dependencies", "devDependencies"];

function dependsOn(manifest: unknown, packages: readonly string[], kinds = KINDS): boolean {
  const lists = isJsonObject(manifest) ? kinds.map((kind) => manifest[kind]) : [];
  return lists.some((list) => isJsonObject(list) && packages.some((name) => Object.hasOwn(list, name)));
}

const PROJECT_FILES = ["tsconfig.json", "deno.json", "deno.jsonc"];
/** Dependencies of a project that runs TypeScript without a `tsconfig.json`. Zod is installed with mcp-codegen. */
const PACKAGES = ["typescript", "tsx", "next"];

/**
 * Whether a folder belongs to a project that can use generated TypeScript: the folder, or one above it in the same
 * git repository, has a TypeScript configuration or a `package.json` with one of {@link PACKAGES}.
 */
export async function usesTypeScript(folder: string): Promise<boolean> {
  for (const directory of upwards(folder)) {
    for (const name of PROJECT_FILES) if (await exists(join(directory, name))) return true;
    const manifest = await readManifest(join(directory, "package.json"));
    if (dependsOn(manifest, PACKAGES, ["dependencies", "devDependencies", "peerDependencies"])) return true;
    if (await exists(join(directory, ".git"))) return false;
  }
  return false;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** A limit, so that a cycle of `extends` ends. */
const MOST_EXTENDS = 16;

/**
 * Detects the extension that relative imports need, from the nearest settings above the folder: `none` for Next.js
 * (its bundlers reject `./x.js`) and for `"moduleResolution": "bundler"`, `ts` where TypeScript runs directly (Deno,
 * or `allowImportingTsExtensions` with Node's resolution), `js` otherwise.
 */
export async function detectImportExtension(folder: string): Promise<"js" | "ts" | "none"> {
  const manifest = await findJson(folder, "package.json");
  if (manifest !== undefined && dependsOn(manifest.json, ["next"])) return "none";
  const project = await findJson(folder, "tsconfig.json");
  if (project === undefined) return (await findJson(folder, "deno.json")) === undefined ? "js" : "ts";
  const options = await compilerOptions(project, MOST_EXTENDS);
  const lower = (option: string): string => textOf(options.get(option)).toLowerCase();
  const resolution = lower("moduleResolution") || (lower("module") === "preserve" ? "bundler" : "");
  if (resolution === "bundler") return "none";
  const runsTypeScript =
    options.get("allowImportingTsExtensions") === true ||
    options.get("rewriteRelativeImportExtensions") === true;
  return runsTypeScript ? "ts" : "js";
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

interface FoundJson {
  readonly path: string;
  readonly json: JsonObject;
}

async function compilerOptions(
  { path, json }: FoundJson,
  depth: number,
): Promise<ReadonlyMap<string, JsonValue>> {
  const options = new Map<string, JsonValue>();
  const bases = [json["extends"] ?? []].flat().filter((base) => typeof base === "string");
  for (const base of depth === 0 ? [] : bases) {
    const baseFile = await findBase(dirname(path), base);
    if (baseFile === undefined) continue;
    for (const [option, value] of await compilerOptions(baseFile, depth - 1)) options.set(option, value);
  }
  const settings = json["compilerOptions"];
  if (isJsonObject(settings))
    for (const [option, value] of Object.entries(settings)) options.set(option, value);
  return options;
}

async function findBase(folder: string, base: string): Promise<FoundJson | undefined> {
  const isPath = base.startsWith(".") || base.startsWith("/");
  const roots = isPath
    ? [resolve(folder, base)]
    : [...upwards(folder)].map((at) => join(at, "node_modules", base));
  for (const root of roots)
    for (const path of [root, `${root}.json`, join(root, "tsconfig.json")]) {
      const json = await readJson(path);
      if (json !== undefined) return { path, json };
    }
  return undefined;
}

async function findJson(folder: string, name: string): Promise<FoundJson | undefined> {
  for (const directory of upwards(folder)) {
    const path = join(directory, name);
    const json = await readJson(path);
    if (json !== undefined) return { path, json };
  }
  return undefined;
}

/** Reads a JSON object with comments and trailing commas, as in `tsconfig.json`. */
async function readJson(path: string): Promise<JsonObject | undefined> {
  const text = await read(path);
  if (text === undefined) return undefined;
  const parsed = parseJson(text, { allowComments: true });
  return "value" in parsed && isJsonObject(parsed.value) ? parsed.value : undefined;
}

/** Finds the formatter of a project: Prettier where it is configured or a dependency; installed alone does not count. */
export async function findProjectFormat(
  folder: string,
  { path, bytes }: PrettierConfig,
): Promise<ProjectFormat> {
  const usesPrettier = path !== undefined || (await listsPrettier(folder));
  const prettier = usesPrettier ? findInstalled(folder) : undefined;
  // Both may be above the project, and are run.
  for (const file of [path, prettier])
    if (file !== undefined) assertOwnCode(file, "Remove it, or give the project its own Prettier.", folder);
  return { usesPrettier, hasEditorConfig: bytes !== "", prettier: prettier && pathToFileURL(prettier).href };
}

async function listsPrettier(folder: string): Promise<boolean> {
  for (const directory of upwards(folder))
    if (dependsOn(await readManifest(join(directory, "package.json")), ["prettier"])) return true;
  return false;
}

function findInstalled(folder: string): string | undefined {
  try {
    return createRequire(join(folder, "index.js")).resolve("prettier");
  } catch {
    return undefined;
  }
}

export interface PrettierConfig {
  /** The configuration file that Prettier uses for this folder; undefined if it finds none. */
  readonly path?: string;
  /** Its contents and those of every applicable `.editorconfig`: equal bytes mean equal formatting. */
  readonly bytes: string;
}

interface FoundSettings {
  readonly path: string;
  readonly bytes: string;
}

/** Prettier's configuration files in its search order; `package.json` counts when it has a `prettier` key. */
const NAMES = [
  "package.json",
  "package.yaml",
  ".prettierrc",
  ".prettierrc.json",
  ".prettierrc.yml",
  ".prettierrc.yaml",
  ".prettierrc.json5",
  ".prettierrc.js",
  "prettier.config.js",
  ".prettierrc.ts",
  "prettier.config.ts",
  ".prettierrc.mjs",
  "prettier.config.mjs",
  ".prettierrc.mts",
  "prettier.config.mts",
  ".prettierrc.cjs",
  "prettier.config.cjs",
  ".prettierrc.cts",
  "prettier.config.cts",
  ".prettierrc.toml",
];

/**
 * Finds Prettier's configuration by its rules without loading it: the nearest one upwards, and each `.editorconfig` up to the root
 * of the repository. Imports of a configuration are not followed; `check --full` detects such changes.
 */
export async function findPrettierConfig(folder: string): Promise<PrettierConfig> {
  let config: FoundSettings | undefined;
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

async function findIn(directory: string, entries: ReadonlySet<string>): Promise<FoundSettings | undefined> {
  for (const name of NAMES.filter((candidate) => entries.has(candidate))) {
    const path = join(directory, name);
    const text = await read(path);
    const bytes = text === undefined ? undefined : relevantBytes(name, text);
    if (bytes !== undefined) return { path, bytes };
  }
  return undefined;
}

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
  return findFileText(path).catch(() => undefined);
}

async function list(directory: string): Promise<ReadonlySet<string>> {
  return new Set(await readdir(directory).catch(() => []));
}
