import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { codeOf, McpCodegenError } from "../core/errors.js";
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

/** How often this process has loaded a configuration again. */
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
    if (isOurselves) return await importWithLoader(path);
    throw await invalid(path, cause);
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
    moduleCache: reloads === 0,
  });
  try {
    return await loader.import(path);
  } catch (cause) {
    throw await invalid(path, cause);
  }
}

async function invalid(path: string, cause: unknown): Promise<McpCodegenError> {
  const line = await findLine(path, cause);
  const where = `${basename(path)}${line === undefined ? "" : `:${line}`}`;
  const [first = ""] = messageOf(cause)
    .replace(/^ParseError: /, "")
    .replaceAll(path, basename(path))
    .split("\n");
  return new McpCodegenError("CONFIG_INVALID", `"${where}" cannot be loaded: ${first.trim()}`, { cause });
}

/** Engines and loaders report the place of an error in the message, in the stack, or not at all. */
async function findLine(path: string, cause: unknown): Promise<string | undefined> {
  const stack = cause instanceof Error ? (cause.stack ?? "") : "";
  const text = `${messageOf(cause)}\n${stack}`;
  const place = placeIn(text, path) ?? placeIn(text, urlOf(path)) ?? placeIn(text, pathToFileURL(path).href);
  if (place !== undefined) return place;
  if (!(cause instanceof SyntaxError) || !path.endsWith("js")) return undefined;
  return await findSyntaxError(path);
}

/**
 * Node reports the place of a module's syntax error only when it prints the error; the loader's parser returns it.
 */
async function findSyntaxError(path: string): Promise<string | undefined> {
  const { createJiti } = await import("jiti");
  try {
    await createJiti(path, { fsCache: false, tryNative: false }).import(path);
    return undefined;
  } catch (error) {
    return placeIn(messageOf(error), path);
  }
}

/** The line, and the column if known, that follows a file name. */
function placeIn(text: string, file: string): string | undefined {
  const places = text.split(file).slice(1);
  return places.flatMap((rest) => /^:(\d+(?::\d+)?)/.exec(rest)?.[1] ?? [])[0];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
