import { basename, dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { codeOf, McpCodegenError, messageOf } from "../core/errors.js";
import { findCacheFolder } from "../files/owners.js";
import { defineConfig } from "./config.js";

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
  const line = [path, urlOf(path), pathToFileURL(path).href].map((file) => placeIn(text, file)).find(Boolean);
  const where = `${basename(path)}${line === undefined ? "" : `:${line}`}`;
  const [first = ""] = messageOf(cause)
    .replace(/^ParseError: /, "")
    .replaceAll(path, basename(path))
    .split("\n");
  return new McpCodegenError("CONFIG_INVALID", `"${where}" cannot be loaded: ${first.trim()}`, { cause });
}

/** The line, and the column if known, that follows a file name. */
function placeIn(text: string, file: string): string | undefined {
  const places = text.split(file).slice(1);
  return places.flatMap((rest) => /^:(\d+(?::\d+)?)/.exec(rest)?.[1] ?? [])[0];
}
