import { createRequire } from "node:module";
import { dirname } from "node:path";

/** The parts of the package.json of mcp-codegen that are read. */
interface OwnPackage {
  readonly version: string;
  /** Where to report a bug. */
  readonly bugs: string;
  /** The packages that a deployment may omit. */
  readonly optionalDependencies: { readonly [name: string]: string };
}

export function readPackage(): OwnPackage {
  return createRequire(import.meta.url)("mcp-codegen/package.json") as OwnPackage;
}

/** Returns the folder of mcp-codegen. */
export function packageRoot(): string {
  return dirname(createRequire(import.meta.url).resolve("mcp-codegen/package.json"));
}
