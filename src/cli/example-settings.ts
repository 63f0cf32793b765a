import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServerConfig } from "../config/config.js";
import { canResolve } from "./missing-packages.js";

const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * How a configuration in `folder` starts the example server, so that it works for whoever runs `init` and, where it can,
 * for whoever gets the configuration from them.
 */
export function exampleSettings(folder: string): ServerConfig {
  if (canResolve("mcp-codegen/package.json", folder))
    return { command: "npx", args: ["mcp-codegen", "example-server"] };
  // Started by npx or installed globally: npx finds it again, or asks the registry.
  if (root.split(sep).includes("node_modules"))
    return { command: "npx", args: ["-y", "mcp-codegen", "example-server"] };
  // A clone, which no registry need have.
  const bin = relative(folder, `${root}bin${sep}mcp-codegen.js`).split(sep).join("/");
  return { command: "node", args: [bin, "example-server"] };
}
