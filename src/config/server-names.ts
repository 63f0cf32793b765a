import { STATIC_TOOLS } from "../core/connection.js";

/**
 * Returns a server key for any text: `[a-z][a-z0-9_]*`, and not one of `taken`. `GitHub Copilot` gives
 * `github_copilot`.
 */
export function toServerName(text: string, taken: readonly string[] = []): string {
  const words = text
    .replace(/([a-z0-9])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
  const isName = /^[a-z]/.test(words) && words !== STATIC_TOOLS;
  const name = isName ? words : words === "" ? "server" : `server_${words}`;
  if (!taken.includes(name)) return name;
  let number = 2;
  while (taken.includes(`${name}_${number}`)) number += 1;
  return `${name}_${number}`;
}

/** Generic names of servers. */
const PLAIN = /^(?:index|main|server|mcp|mcp-server|dist|src|build|bin|lib|api|www|cli|app|stdio)$/;

/** The distinctive part of the name of a package, a program or an image: `@scope/mcp-server-git@1.2` gives `git`. */
export function nameOfPackage(specifier: string): string {
  const parts = specifier
    .replace(/^(?:git\+)?https?:\/\//, "")
    .split(/[/\\]/)
    .map((part) =>
      part
        .replace(/^@/, "")
        .replace(/[@:#].*$/, "")
        .replace(/(?:==|~=|>=).*$/, ""),
    )
    .map((part) => part.replace(/\.(?:[cm]?[jt]s|py|exe|cmd|sh|php|phar|jar|git)$/, ""))
    .filter((part) => part !== "" && part !== "." && part !== "..");
  const telling = parts.map(withoutMcp).filter((part) => part !== "" && !PLAIN.test(part));
  return telling.at(-1) ?? parts.at(-1) ?? "server";
}

/** The distinctive part of a host name: `mcp.linear.app` gives `linear`. */
export function nameOfHost(host: string): string {
  const isAddress = /^[\d.]+$/.test(host) || host.includes(":") || !host.includes(".");
  if (isAddress) return host;
  const labels = host.split(".").slice(0, -1);
  return (
    labels
      .map(withoutMcp)
      .findLast((label) => label !== "" && !PLAIN.test(label) && !/^(?:co|com|org)$/.test(label)) ?? host
  );
}

function withoutMcp(name: string): string {
  return name
    .replace(/^(?:mcp[-_])?(?:server[-_])?/, "")
    .replace(/(?:[-_]mcp)?(?:[-_]server)?(?:[-_]mcp)?$/, "");
}
