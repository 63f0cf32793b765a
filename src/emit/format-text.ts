import type * as prettierModule from "prettier";
import { McpCodegenError } from "../contract/errors.js";
import type { JsonValue } from "../contract/json.js";

/** Options that oxfmt and Prettier share, by their names there. */
export interface FormatOptions {
  readonly [option: string]: JsonValue;
}

/** What formats generated modules. Plain data, because it is sent to worker threads. */
export type Formatter =
  | { readonly by: "oxfmt"; readonly options: FormatOptions }
  | {
      /** A project's Prettier with everything that configures it, plugins too. */
      readonly by: "prettier";
      /** The URL of the project's Prettier; that of our own dependencies where the project's is not installed. */
      readonly module?: string;
      /** The path of a generated file, for which Prettier looks up its configuration. */
      readonly path: string;
    };

/** Returns the text of a generated module formatted, with `\n` at the end of every line. */
export type Format = (text: string) => Promise<string>;

/**
 * Loads a formatter and reads its configuration.
 *
 * @throws McpCodegenError `CONFIG_INVALID` where the project's Prettier or its configuration cannot be loaded
 */
export function loadFormat(formatter: Formatter): Promise<Format> {
  return formatter.by === "oxfmt" ? loadOxfmt(formatter.options) : loadPrettier(formatter);
}

async function loadOxfmt(options: FormatOptions): Promise<Format> {
  const oxfmt = await importPackage("oxfmt").catch(() => undefined);
  // Oxfmt is a native addon, which some platforms and bundles do not have. Prettier gives the same code in nearly the same style.
  if (!isOxfmt(oxfmt)) {
    const { format } = await import("prettier");
    return (text) => format(text, { ...options, parser: "typescript", endOfLine: "lf" });
  }
  // Its own default is 100 columns, and not Prettier's 80.
  const style = { printWidth: 80, ...options, endOfLine: "lf" } as const;
  return async (text) => {
    const { code, errors } = await oxfmt.format("module.ts", text, style);
    const [error] = errors;
    if (error !== undefined) throw new Error(`oxfmt could not format a generated module: ${error.message}`);
    return code;
  };
}

async function loadPrettier({
  module,
  path,
}: Extract<Formatter, { readonly by: "prettier" }>): Promise<Format> {
  try {
    const prettier = module === undefined ? await import("prettier") : await importPrettier(module);
    const config = await prettier.resolveConfig(path, { editorconfig: true, useCache: false });
    const options = {
      ...config,
      filepath: path,
      endOfLine: "lf",
      insertPragma: false,
      requirePragma: false,
    } as const;
    // Prettier 2 returns the text, not a promise.
    return async (text) => prettier.format(text, options);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new McpCodegenError("CONFIG_INVALID", `The project's Prettier cannot be used: ${reason}`, {
      hint: `Run "npx prettier --check ." to see what Prettier reports.`,
      cause,
    });
  }
}

type Prettier = Pick<typeof prettierModule, "format" | "resolveConfig">;

/** Prettier 2 is a CommonJS module, whose functions may only be in `default`. */
async function importPrettier(module: string): Promise<Prettier> {
  const found = await importPackage(module);
  const candidates = [found, isObject(found) ? found["default"] : undefined];
  const prettier = candidates.find(isPrettier);
  if (prettier === undefined) throw new Error(`"${module}" exports no "format" and "resolveConfig".`);
  return prettier;
}

/** Imports what a bundler must not follow: what a project has installed, and a native addon. */
function importPackage(specifier: string): Promise<unknown> {
  return import(specifier);
}

/** What is used of oxfmt, by which a build without this optional package compiles. */
interface Oxfmt {
  readonly format: (
    fileName: string,
    text: string,
    options: FormatOptions,
  ) => Promise<{ readonly code: string; readonly errors: readonly { readonly message: string }[] }>;
}

function isOxfmt(value: unknown): value is Oxfmt {
  return isObject(value) && typeof value["format"] === "function";
}

function isPrettier(value: unknown): value is Prettier {
  return (
    isObject(value) && typeof value["format"] === "function" && typeof value["resolveConfig"] === "function"
  );
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null;
}
