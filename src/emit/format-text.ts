import type * as prettierModule from "prettier";
import { McpCodegenError, messageOf } from "../core/errors.js";
import type { ProjectFormat } from "../core/generated-file.js";
import { type JsonValue, objectOrEmpty } from "../core/json.js";

/** The Prettier options that oxfmt also has and that affect TypeScript. */
const OPTIONS = [
  "printWidth",
  "tabWidth",
  "useTabs",
  "semi",
  "singleQuote",
  "quoteProps",
  "trailingComma",
  "bracketSpacing",
  "objectWrap",
  "arrowParens",
];

/** Formats the text of a generated module, with LF line endings. */
export type Format = (text: string) => Promise<string>;

/**
 * Loads the formatter of generated files: the project's own Prettier where it uses Prettier, so that its `prettier --check`
 * passes; otherwise oxfmt. Throws `CONFIG_INVALID` where the project's Prettier cannot be used.
 *
 * @param path A path of any generated file.
 */
export async function loadFormat(path: string, project: ProjectFormat): Promise<Format> {
  const { usesPrettier, prettier, hasEditorConfig } = project;
  return usesPrettier
    ? loadPrettier(path, prettier)
    : loadOxfmt(hasEditorConfig ? await readEditorConfig(path) : {});
}

/** Oxfmt reads no configuration when called as a library, so Prettier reads `.editorconfig`. */
async function readEditorConfig(path: string): Promise<FormatOptions> {
  const { resolveConfig } = await importOwnPrettier();
  const resolved: unknown = await resolveConfig(path, { editorconfig: true, useCache: false });
  return objectOrEmpty(resolved);
}

/** Options that oxfmt and Prettier share, with the same names. */
export interface FormatOptions {
  readonly [option: string]: JsonValue;
}

/** Loads oxfmt, with those of these options that affect how it prints TypeScript. */
export async function loadOxfmt(options: FormatOptions): Promise<Format> {
  const shared = Object.fromEntries(Object.entries(options).filter(([option]) => OPTIONS.includes(option)));
  const style = { ...shared, endOfLine: "lf" } as const;
  const oxfmt = await importPackage("oxfmt").catch(() => undefined);
  // Oxfmt is a native addon, which some platforms and bundlers lack. Prettier prints nearly the same style.
  if (!isOxfmt(oxfmt)) {
    const { format } = await importOwnPrettier();
    return (text) => format(text, { printWidth: 100, ...style, parser: "typescript" });
  }
  return async (text) => {
    const { code, errors } = await oxfmt.format("module.ts", text, style);
    const [error] = errors;
    if (error !== undefined) throw new Error(`oxfmt could not format a generated module: ${error.message}`);
    return code;
  };
}

/** @param module the URL of the project's own Prettier; undefined for the one in our dependencies */
async function loadPrettier(path: string, module: string | undefined): Promise<Format> {
  try {
    const prettier = await (module === undefined ? importOwnPrettier() : importPrettier(module));
    const config = await prettier.resolveConfig(path, { editorconfig: true, useCache: false });
    const options = {
      ...config,
      filepath: path,
      endOfLine: "lf",
      insertPragma: false,
      requirePragma: false,
    } as const;
    // Prettier 2 returns the text, later versions a promise.
    return async (text) => prettier.format(text, options);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new McpCodegenError("CONFIG_INVALID", `The project's Prettier cannot be used: ${reason}`, {
      hint: `Run "npx prettier --check ." to see what Prettier reports.`,
      cause,
    });
  }
}

interface Prettier {
  readonly format: typeof prettierModule.format;
  readonly resolveConfig: typeof prettierModule.resolveConfig;
}

/** The one in our dependencies. */
function importOwnPrettier(): Promise<Prettier> {
  return import("prettier");
}

/** Prettier 2 is a CommonJS module; its functions may only be in `default`. */
async function importPrettier(module: string): Promise<Prettier> {
  const imported = await importPackage(module);
  const candidates = [imported, isObject(imported) ? imported["default"] : undefined];
  const prettier = candidates.find(isPrettier);
  if (prettier === undefined) throw new Error(`"${module}" exports no "format" and "resolveConfig".`);
  return prettier;
}

/** Imports packages that a bundler must not include: those of a project, and native addons. */
function importPackage(specifier: string): Promise<unknown> {
  return import(specifier);
}

/** The functions of oxfmt that are used, declared so that a build without this optional package compiles. */
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
