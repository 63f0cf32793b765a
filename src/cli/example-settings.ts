import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServerConfig } from "../config/config.js";
import { canResolve } from "./missing-packages.js";

const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * How a configuration in `folder` starts the example server, on this machine and where possible on others. The environment
 * `next` is its next version, so that `check --env next` shows drift.
 */
export function exampleSettings(folder: string): ServerConfig {
  const { command, args } = exampleCommand(folder);
  return { command, args, environments: { next: { args: [...args, "--next"] } } };
}

function exampleCommand(folder: string): { readonly command: string; readonly args: readonly string[] } {
  if (canResolve("mcp-codegen/package.json", folder))
    return { command: "npx", args: ["mcp-codegen", "example-server"] };
  // Started by npx or installed globally: npx finds it again, or asks the registry.
  if (root.split(sep).includes("node_modules"))
    return { command: "npx", args: ["-y", "mcp-codegen", "example-server"] };
  // A clone, which no registry need have.
  const bin = relative(folder, `${root}bin${sep}mcp-codegen.js`).split(sep).join("/");
  return { command: "node", args: [bin, "example-server"] };
}
