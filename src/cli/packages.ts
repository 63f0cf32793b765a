import { existsSync } from "node:fs";
import { createRequire, register } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { codeOf, McpCodegenError } from "../core/errors.js";
import { findOwn } from "../core/json.js";
import { INSTALL_PEER } from "../core/packages.js";
import { assertOwnCode } from "../files/owners.js";
import { readManifest } from "../files/project-settings.js";
import { upwards } from "../files/read-files.js";
import type { Project } from "../project/project.js";
import type { Context } from "./context.js";

/**
 * Returns the command that installs the packages that generated code imports and the output folder cannot resolve;
 * undefined if it resolves all.
 */
export function missingPackages(output: string): string | undefined {
  const missing = ["mcp-codegen/runtime", "zod"].filter((specifier) => !canResolve(specifier, output));
  if (missing.length === 0) return undefined;
  return `npm install ${missing.map((specifier) => specifier.split("/")[0] ?? specifier).join(" ")}`;
}

export function canResolve(specifier: string, folder: string): boolean {
  try {
    // The file need not exist: resolution starts at its folder.
    createRequire(join(folder, "index.js")).resolve(specifier);
    return true;
  } catch (error) {
    // The package is installed, but does not export this path for require().
    return codeOf(error) === "ERR_PACKAGE_PATH_NOT_EXPORTED";
  }
}

/**
 * Asserts that an optional package is installed, in the user's project or else next to mcp-codegen. A later `import()`
 * loads the same one.
 *
 * @param folder where the user's project resolves packages from
 * @throws McpCodegenError `DEPENDENCY_MISSING`
 */
export function requirePackage(name: keyof typeof INSTALL_PEER, what: string, folder: string): void {
  if (hasPackage(name, folder)) return;
  const message = `${what} needs the package "${name}", which is not installed.`;
  throw new McpCodegenError("DEPENDENCY_MISSING", message, { hint: `Run "${INSTALL_PEER[name]}".` });
}

/** As {@link requirePackage}, but returns whether the package is installed. */
export function hasPackage(name: string, folder: string): boolean {
  const theirs = findPackage(createRequire(join(folder, "index.js")), name);
  // It may be above the project, and is run.
  if (theirs !== undefined)
    assertOwnCode(theirs, "Remove it, or install the package in the project.", folder);
  const ours = findPackage(createRequire(import.meta.url), name);
  if (theirs !== undefined && theirs !== ours) redirectImports(name, pathToFileURL(theirs).href);
  return (theirs ?? ours) !== undefined;
}

function findPackage({ resolve }: NodeJS.Require, name: string): string | undefined {
  try {
    return resolve(name);
  } catch {
    return undefined;
  }
}

/**
 * Redirects static imports, which search next to mcp-codegen, to the package of the user's project. They differ if npx
 * runs mcp-codegen.
 */
function redirectImports(name: string, url: string): void {
  const target = JSON.stringify({ url, shortCircuit: true });
  const hooks = `export const resolve = (name, context, next) =>
    name === ${JSON.stringify(name)} ? ${target} : next(name, context);`;
  register(`data:text/javascript,${encodeURIComponent(hooks)}`);
}

/** Returns the steps for the user until the generated code compiles: install packages, or change the compiler options. */
export async function adviseImports(
  { paint }: Context,
  project: Project,
  hasNewCode: boolean,
): Promise<readonly string[]> {
  const install = missingPackages(project.output);
  if (install !== undefined)
    return [`Install the packages that the generated code imports: ${paint.bold(install)}`];
  // A start of the compiler is too slow for a run that writes nothing. Files of ES modules have no conflict.
  if (!hasNewCode || (await isModulePackage(project.output))) return [];
  const { findImportConflict } = await import("./commands/setup/examine-tsconfig.js");
  const conflict = await findImportConflict(project);
  if (conflict === undefined) return [];
  return [paint.yellow(`The generated code does not compile: ${conflict.reason}.`), conflict.fix];
}

/** Whether the nearest `package.json` makes files in the folder ES modules. */
export async function isModulePackage(folder: string): Promise<boolean> {
  const path = [...upwards(folder)].map((dir) => join(dir, "package.json")).find(existsSync);
  return path !== undefined && findOwn(await readManifest(path), "type") === "module";
}
