import { isIP } from "node:net";
import type { ServerConfig } from "./config.js";

/** Programs that download what they run from a registry. */
const FETCHING = /^(?:npx|pnpx|bunx|uvx|pipx|docker|podman)$/;
/** Package managers that do so with one of these subcommands. */
const MANAGERS = /^(?:npm|pnpm|yarn|bun|uv)$/;
const FETCHING_WORDS = /^(?:exec|dlx|x|tool)$/;

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
  const program = command.replace(/^.*[/\\]/, "").replace(/\.(?:exe|cmd)$/i, "");
  const [first = "", ...rest] = args;
  if (program === "cmd" && /^\/c$/i.test(first)) return isOwnCommand(rest[0] ?? "", rest.slice(1));
  const isFetching = FETCHING.test(program) || (MANAGERS.test(program) && FETCHING_WORDS.test(first));
  if (!isFetching) return true;
  const what = args.find((word) => !word.startsWith("-") && !FETCHING_WORDS.test(word)) ?? "";
  // A path is not a package. The example server changes only with this program.
  return /^\.{0,2}(?:[/\\]|$)/.test(what) || what === "mcp-codegen";
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
