import { isIP } from "node:net";
import { findPackageRunner } from "../core/package-runner.js";
import type { ServerConfig } from "./config.js";

/**
 * Whether a server is probably maintained by the user's team: started from its own files, reached on this machine or
 * in a private network, a WordPress site, or at a URL from a variable. Published packages and other services change
 * independently.
 */
export function isOwned({ url, command, args = [] }: ServerConfig): boolean {
  if (url !== undefined) return isOwnUrl(url);
  return command === undefined || isOwnCommand(command, args);
}

function isOwnCommand(command: string, args: readonly string[]): boolean {
  const runner = findPackageRunner(command, args);
  if (runner?.started === undefined) return runner === undefined;
  // A path is not a package. The example server changes only with this program.
  return /^\.{0,2}(?:[/\\]|$)/.test(runner.started) || runner.started === "mcp-codegen";
}

function isOwnUrl(url: string): boolean {
  if (url.includes("/wp-json/") || /^(?:https?:\/\/)?\$\{/i.test(url) || !URL.canParse(url)) return true;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0) return isPrivateAddress(host);
  return !host.includes(".") || /\.(?:localhost|local|test|internal|lan|home\.arpa)$/i.test(host);
}

/** The blocks of RFC 1918, RFC 4193, loopback and link-local. */
function isPrivateAddress(address: string): boolean {
  return /^(?:127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|::1$|f[cd]|fe80:)/i.test(address);
}
