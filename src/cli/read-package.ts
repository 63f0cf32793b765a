import { createRequire } from "node:module";

export interface OwnPackage {
  readonly version: string;
  /** Where to report a bug. */
  readonly bugs?: string;
  /** Names of the packages that a deployment may omit. */
  readonly optionalDependencies: readonly string[];
}

/** Reads the package.json of mcp-codegen. */
export function readPackage(): OwnPackage {
  const json: unknown = createRequire(import.meta.url)("mcp-codegen/package.json");
  const { version, bugs, optionalDependencies } = isRecord(json) ? json : {};
  const url = isRecord(bugs) ? bugs["url"] : bugs;
  return {
    version: typeof version === "string" ? version : "unknown",
    ...(typeof url === "string" && { bugs: url }),
    optionalDependencies: isRecord(optionalDependencies) ? Object.keys(optionalDependencies) : [],
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
