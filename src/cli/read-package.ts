import { createRequire } from "node:module";

/** The parts of the package.json of mcp-codegen that are read. */
interface OwnPackage {
  readonly version: string;
  /** Where to report a bug. */
  readonly bugs: { readonly url: string };
  /** The packages that a deployment may omit. */
  readonly optionalDependencies: { readonly [name: string]: string };
}

export function readPackage(): OwnPackage {
  return createRequire(import.meta.url)("mcp-codegen/package.json") as OwnPackage;
}
