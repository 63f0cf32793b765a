import { createRequire, register } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { codeOf, McpCodegenError } from "../core/errors.js";
import { INSTALL_PEER } from "../core/packages.js";
import { assertOwnCode } from "../files/owners.js";

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
