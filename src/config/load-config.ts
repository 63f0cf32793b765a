import { homedir } from "node:os";
import { basename, dirname, extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { McpCodegenError, codeOf, messageOf } from "../core/errors.js";
import { formatKeyPath } from "../core/json-pointer.js";
import { findRepeatedKey } from "../core/json-text.js";
import { assertOwnCode, findCacheFolder } from "../files/owners.js";
import { parseJson, withoutComments } from "../files/parse-json.js";
import { findFileText, hasEntry, isFileAt, upwards } from "../files/read-files.js";
import { type CompleteConfig, defineConfig } from "./config.js";
import { locateKeys } from "./locate-keys.js";
import { type LocateKeys, refuse, validateConfig } from "./validate-config.js";

export interface LoadedConfig {
  readonly config: CompleteConfig;
  /** The absolute path of the file. */
  readonly path: string;
  /** The absolute path of its folder. Paths in the configuration are relative to it. */
  readonly dir: string;
}

/** The file that `init` writes unless `--config` names another. */
export const CONFIG_NAME = "mcp-codegen.config.ts";
export const JSON_CONFIG_NAME = "mcp-codegen.config.json";

/** In this order; `package.json` counts when it has a key `mcp-codegen`. */
export const CONFIG_FILES: readonly string[] = [
  ...["ts", "mts", "js", "mjs", "json", "jsonc"].map((extension) => `mcp-codegen.config.${extension}`),
  "package.json",
];

/**
 * Loads and validates the configuration: the named file, or else the first one found in `cwd` and the folders above.
 *
 * @returns undefined when no file was named and none was found
 * @throws McpCodegenError `CONFIG_NOT_FOUND` for a named file that is missing, `CONFIG_INVALID` for one that does not
 * parse or validate, `SECRET_LITERAL` for one that holds a secret, `DEPENDENCY_MISSING` without the TypeScript loader
 */
export async function loadConfig(options: {
  readonly cwd: string;
  readonly path?: string | undefined;
  /** Whether this process has loaded the file before, and it may have changed; requires `path`. */
  readonly isReload?: boolean;
}): Promise<LoadedConfig | undefined> {
  const { cwd, path: named, isReload } = options;
  const file = named === undefined ? await searchUpward(cwd) : await readNamed(resolve(cwd, named), isReload);
  if (file === undefined) return undefined;
  const config = await validateConfig(file.value, basename(file.path), locateIn(file.path));
  return { config, path: file.path, dir: dirname(file.path) };
}

function locateIn(path: string): LocateKeys {
  return (paths) => locateKeys(path, paths);
}

interface FoundConfig {
  readonly path: string;
  readonly value: unknown;
}

const EXTENSIONS: readonly string[] = [".json", ".jsonc", ".ts", ".mts", ".js", ".mjs"];

/** Searches a folder and those above it, up to the user's own. */
async function searchUpward(cwd: string): Promise<FoundConfig | undefined> {
  const start = resolve(cwd);
  const home = homedir();
  for (const dir of upwards(start)) {
    for (const name of CONFIG_FILES) {
      const path = join(dir, name);
      const isManifest = name === "package.json";
      // A folder or a broken link in its place is reported, and not taken for no configuration.
      if (!(isManifest ? isFileAt(path) : hasEntry(path))) continue;
      // A person chose the working folder, and not those above it.
      const assertOwn = (): void => {
        if (dir !== start) assertOwnCode(path, `If you trust that user, pass --config ${path}.`);
      };
      if (!isManifest) assertOwn();
      const file = await readNamed(path);
      if (file.value === undefined && isManifest) continue;
      assertOwn();
      return file;
    }
    if (dir === home) break;
  }
  return undefined;
}

async function readNamed(path: string, isReload = false): Promise<FoundConfig> {
  const extension = extname(path);
  if (!EXTENSIONS.includes(extension)) {
    throw new McpCodegenError("CONFIG_INVALID", `"${basename(path)}" is not a configuration file.`, {
      hint: `Use a file that ends in ${EXTENSIONS.join(", ")}.`,
    });
  }
  const fail = (cause?: unknown): McpCodegenError => {
    const message = `The configuration file "${basename(path)}" cannot be read.`;
    const orElse = hasEntry(path) ? "replace it by a readable file" : 'run "npx mcp-codegen init"';
    const hint = `Name another with "--config", or ${orElse}.`;
    return new McpCodegenError("CONFIG_NOT_FOUND", message, { hint, cause });
  };
  const text = await findFileText(path).catch((cause: unknown) => {
    throw fail(cause);
  });
  if (text === undefined) throw fail();
  const isJson = extension.startsWith(".json");
  const value: unknown = isJson ? await readJson(path, text) : await loadModule(path, isReload);
  if (basename(path) !== "package.json") return { path, value };
  return { path, value: (value as { readonly [key: string]: unknown } | null)?.["mcp-codegen"] };
}

async function readJson(path: string, content: string): Promise<unknown> {
  const parsed = parseJson(content, { allowComments: true });
  if ("value" in parsed) {
    const repeated = findRepeatedKey(withoutComments(content), parsed.value);
    // Other keys of package.json are not ours.
    const isOurs = basename(path) !== "package.json" || repeated?.[0] === "mcp-codegen";
    if (repeated === undefined || !isOurs) return parsed.value;
    const text = `${formatKeyPath(repeated)}: the key is repeated`;
    throw await refuse("CONFIG_INVALID", [{ path: repeated, text }], basename(path), locateIn(path));
  }
  const { line, column, reason } = parsed.problem;
  throw new McpCodegenError(
    "CONFIG_INVALID",
    `"${basename(path)}:${line}:${column}" is not JSON: ${reason}.`,
  );
}

/**
 * Returns the default export of a configuration in TypeScript or JavaScript. `import … from "mcp-codegen"` resolves
 * to this program, so `npx mcp-codegen` works in a folder without the package.
 *
 * @param isReload whether the file may have changed since it was loaded. What it imports is not loaded again.
 * @throws McpCodegenError `CONFIG_INVALID` with file and line, `DEPENDENCY_MISSING` without the TypeScript loader
 */
export async function loadModule(path: string, isReload = false): Promise<unknown> {
  if (isReload) reloads += 1;
  const module = /\.m?js$/.test(path) ? await importPlain(path) : await importWithLoader(path);
  if (typeof module === "object" && module !== null && "default" in module) return module.default;
  throw new McpCodegenError("CONFIG_INVALID", `"${basename(path)}" has no default export.`, {
    hint: "Write `export default defineConfig({ … })`.",
  });
}

let reloads = 0;

/** Node keeps every module in memory under its URL, so a module that is loaded again gets another one. */
function urlOf(path: string): string {
  return `${pathToFileURL(path).href}${reloads === 0 ? "" : `?reload=${reloads}`}`;
}

async function importPlain(path: string): Promise<unknown> {
  try {
    return (await import(urlOf(path))) as unknown;
  } catch (cause) {
    const isOurselves =
      codeOf(cause) === "ERR_MODULE_NOT_FOUND" && /package 'mcp-codegen'/.test(messageOf(cause));
    // Node reports the place of a syntax error only when it prints the error; the loader always does.
    if (isOurselves || cause instanceof SyntaxError) return await importWithLoader(path);
    throw invalid(path, cause);
  }
}

async function importWithLoader(path: string): Promise<unknown> {
  const { createJiti } = await import("jiti").catch((cause: unknown) => {
    throw new McpCodegenError("DEPENDENCY_MISSING", `Reading "${basename(path)}" needs the package "jiti".`, {
      hint: 'Run "npm install --save-dev jiti", or write the configuration as JSON.',
      cause,
    });
  });
  const loader = createJiti(path, {
    virtualModules: { "mcp-codegen": { defineConfig } },
    // By default a folder that all users share.
    fsCache: findCacheFolder(dirname(path), "configurations") ?? false,
    moduleCache: reloads === 0,
  });
  try {
    return await loader.import(path);
  } catch (cause) {
    throw invalid(path, cause);
  }
}

/** Engines and loaders report the place of an error in the message, in the stack, or not at all. */
function invalid(path: string, cause: unknown): McpCodegenError {
  const text = `${messageOf(cause)}\n${cause instanceof Error ? (cause.stack ?? "") : ""}`;
  // The line that follows a name of the file. The column counts in what the loader made of the line.
  const places = [path, urlOf(path), pathToFileURL(path).href].flatMap((file) => text.split(file).slice(1));
  const [line] = places.flatMap((rest) => /^:(\d+)/.exec(rest)?.[1] ?? []);
  const where = `${basename(path)}${line === undefined ? "" : `:${line}`}`;
  const [first = ""] = messageOf(cause)
    .replace(/^ParseError: /, "")
    .replaceAll(path, basename(path))
    .split("\n");
  return new McpCodegenError("CONFIG_INVALID", `"${where}" cannot be loaded: ${first.trim()}`, { cause });
}
