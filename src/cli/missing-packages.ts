import { createRequire } from "node:module";
import { join } from "node:path";
import { McpCodegenError } from "../contract/errors.js";

/** The line that installs what generated code imports and the output folder cannot reach; undefined when all is there. */
export function missingPackages(output: string): string | undefined {
  const missing = ["mcp-codegen/runtime", "zod"].filter((specifier) => !canResolve(specifier, output));
  if (missing.length === 0) return undefined;
  return `npm install ${missing.map((specifier) => specifier.split("/")[0] ?? specifier).join(" ")}`;
}

export function canResolve(specifier: string, folder: string): boolean {
  // The file need not exist: resolution starts at its folder.
  return resolves(createRequire(join(folder, "index.js")), specifier);
}

function resolves({ resolve }: NodeJS.Require, specifier: string): boolean {
  try {
    resolve(specifier);
    return true;
  } catch (error) {
    // A package that is there and does not export this for require() is there.
    return error instanceof Error && "code" in error && error.code === "ERR_PACKAGE_PATH_NOT_EXPORTED";
  }
}

/**
 * Makes sure that a package is there which few need and so nobody is made to install.
 *
 * @throws McpCodegenError `DEPENDENCY_MISSING`
 */
export function requirePackage(name: string, what: string): void {
  if (resolves(createRequire(import.meta.url), name)) return;
  throw new McpCodegenError(
    "DEPENDENCY_MISSING",
    `${what} needs the package "${name}", which is not installed.`,
    {
      hint: `Run "npm install -D ${name}".`,
    },
  );
}
