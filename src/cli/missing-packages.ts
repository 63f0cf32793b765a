import { createRequire } from "node:module";
import { join } from "node:path";

/** The line that installs what generated code imports and the output folder cannot reach; undefined when all is there. */
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
    // A package that is there and does not export this for require() is there.
    return error instanceof Error && "code" in error && error.code === "ERR_PACKAGE_PATH_NOT_EXPORTED";
  }
}
